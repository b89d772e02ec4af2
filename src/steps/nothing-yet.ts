import type { Forecast, ForecastQuestion } from '../pipeline/step-plan.ts'

/** A forecast without requests and outputs. */
export function nothingYet(action: Forecast['action'], why?: string): Forecast {
  return { action, why, requests: [], outputs: {}, complete: false }
}

/** The forecast of a step that cannot be planned while fields are unknown. */
export function afterRun({ unknown }: Pick<ForecastQuestion, 'unknown'>): Forecast {
  return nothingYet('afterRun', `it depends on ${unknown.join(', ')}`)
}
