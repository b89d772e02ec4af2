import type { StepServices } from '../runnable-step-type.ts'

/** What forecasting reads with. */
export interface ForecastMeans extends Pick<StepServices, 'api' | 'ledger' | 'profile' | 'clock' | 'checkFile'> {
  readonly signal: AbortSignal
}
