import type { StepServices } from '../runnable-step-type.ts'

/** What a forecast needs for reading. */
export interface ForecastDeps extends Pick<StepServices, 'api' | 'stepMemory' | 'profile' | 'clock' | 'checkFile'> {
  readonly signal: AbortSignal
}
