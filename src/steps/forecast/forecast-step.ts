import { isOperationId, type OperationId, operationOf } from '../../contract/operations.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import type { Forecast, ForecastQuestion, ForecastStep } from '../../pipeline/forecast.ts'
import { inspectFile } from '../inspect-file.ts'
import { readList } from '../list-step.ts'
import { resolveScopes } from '../resolve-scopes.ts'
import { matchRequestIn } from '../same-match.ts'
import { uploadName } from '../upload-name.ts'
import { forecastActivation } from './forecast-activation.ts'
import type { ForecastDeps } from './forecast-deps.ts'
import { forecastMatch } from './forecast-match.ts'
import { forecastSegment } from './forecast-segment.ts'
import { requestOf } from './request-of.ts'

/** Forecasts what steps would do now. Reads the service and files of this machine; writes nothing. */
export function createForecast(deps: ForecastDeps): ForecastStep {
  return async (question) => {
    const { uses, unknown, input } = question
    switch (uses) {
      case 'files.upload':
        return unknown.includes('file') ? afterRun('its file is known after the run') : forecastUpload(input, deps)
      case 'segments.ensure':
      case 'matches.ensure':
      case 'activations.ensure':
        if (unknown.length > 0) return afterRun(`it depends on ${unknown.join(', ')}, known after the run`)
        return ENSURE[uses](question, deps)
      case 'jobs.wait':
      case 'approval.wait':
        return { ...NOTHING, action: 'wait' }
      case 'notify.webhook':
        return { ...NOTHING, action: 'send' }
      case 'pipelines.run':
        return { ...NOTHING, action: 'run', why: 'plan that pipeline by itself' }
      default:
        return isOperationId(uses) ? forecastOperation(uses, question, deps) : afterRun('it is not known here')
    }
  }
}

const ENSURE = {
  'segments.ensure': forecastSegment,
  'matches.ensure': forecastMatch,
  'activations.ensure': forecastActivation,
} as const

const NOTHING = { requests: [], outputs: {}, complete: false } as const

function afterRun(why: string): Forecast {
  return { ...NOTHING, action: 'afterRun', why }
}

async function forecastUpload(input: JsonObject, { signal, checkFile }: ForecastDeps): Promise<Forecast> {
  const file = String(input.file)
  checkFile(file)
  const { bytes, rows, sha256 } = await inspectFile(file, signal)
  const name = uploadName(file, sha256)
  const outputs = { name, bytes, rows, sha256 }
  return { action: 'upload', requests: [{ method: 'POST', path: '/api/files' }], outputs, complete: true }
}

async function forecastOperation(
  id: OperationId,
  { input, unknown }: ForecastQuestion,
  { api, signal }: ForecastDeps,
): Promise<Forecast> {
  const { method, list } = operationOf(id)
  if (method !== 'GET') {
    const name = id.slice(id.indexOf('.') + 1)
    const sent = id === 'matches.create' && unknown.length === 0 ? await scoped(input, { api, signal }) : input
    const action = name === 'create' || name === 'update' || name === 'refresh' || name === 'delete' ? name : 'send'
    return { action, requests: [requestOf(id, sent)], outputs: {}, complete: false }
  }
  if (unknown.length > 0) return afterRun(`it depends on ${unknown.join(', ')}, known after the run`)
  if (list) return { action: 'read', requests: [], outputs: await readList(id, input, { api, signal }), complete: true }
  const answer = await api.untyped.call(id, input, { signal })
  return { action: 'read', requests: [], outputs: isJsonObject(answer) ? answer : {}, complete: true }
}

async function scoped(input: JsonObject, deps: Pick<ForecastDeps, 'api' | 'signal'>): Promise<JsonObject> {
  const request = matchRequestIn(input)
  return request ? { ...input, deliveryScopes: [...(await resolveScopes(request, deps))] } : input
}
