import type { StepServices } from '../runnable-step-type.ts'

/** What a forecast needs for reading. */
export interface ForecastMeans extends Pick<StepServices, 'api' | 'ledger' | 'profile' | 'clock' | 'checkFile'> {
  readonly signal: AbortSignal
}
