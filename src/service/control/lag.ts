import { type OperationId, operationOf } from '../../contract/operations.ts'
import type { Clock } from '../../core/clock.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { notFound } from '../api-error.ts'
import type { JobSummary } from '../jobs/job.ts'
import type { Store } from '../storage/store.ts'

/** The parts of a request that lag needs. */
interface LagRequest {
  readonly operation: OperationId
  readonly participant: number
  readonly input: JsonObject
}

/** Hides new resources for a while, like a service that reads from a replica that lags behind. */
export interface Lag {
  /**
   * Hides the job that a request made, and everything that the job makes, until the service's clock reaches a given
   * time.
   */
  hide(request: LagRequest, output: Json, until: number): void
  /** Returns the visible part of what a read returned. Throws a 404 for a hidden resource. */
  reveal(request: LagRequest, output: Json): Json
  clear(): void
}

export function createLag({ jobs }: Pick<Store, 'jobs'>, clock: Clock): Lag {
  let hidden: { readonly keys: () => readonly string[]; readonly until: number }[] = []

  const hiddenKeys = (): Set<string> => {
    const now = clock.now()
    hidden = hidden.filter(({ until }) => until > now)
    return new Set(hidden.flatMap(({ keys }) => keys()))
  }

  return {
    hide({ operation, participant, input }, output, until) {
      const answer = isJsonObject(output) ? output : {}
      if (operationOf(operation).upload !== undefined) {
        const key = keyOf('files', participant, input, answer.name)
        hidden.push({ keys: () => [key], until })
      } else {
        // The ids of resources that the job makes are known only later.
        hidden.push({ keys: () => keysOf(jobs.findSummary(String(answer.id))), until })
      }
    },
    reveal({ operation, participant, input }, output) {
      if (hidden.length === 0 || operationOf(operation).method !== 'GET' || !isJsonObject(output)) return output
      const keys = hiddenKeys()
      const [resource = ''] = operation.split('.')
      const { list, output: schema } = operationOf(operation)
      if (list) {
        const items = output[list.items]
        const isVisible = (item: Json) =>
          !isJsonObject(item) || !keys.has(keyOf(resource, participant, input, item[list.id]))
        return Array.isArray(items) ? { ...output, [list.items]: items.filter(isVisible) } : output
      }
      const id = String(Object.values(input)[0])
      if (keys.has(keyOf(resource, participant, input, id))) throw notFound(String(schema?.title).toLowerCase(), id)
      return output
    },
    clear() {
      hidden = []
    },
  }
}

/** A file name is unique only within a participant, signal and result content. Everything else has an id. */
function keyOf(resource: string, participant: number, input: JsonObject, id: Json | undefined): string {
  const scope = resource === 'files' ? [participant, String(input.uploadSignal), String(input.resultContent)] : []
  return [resource, ...scope, String(id)].join('/')
}

function keysOf(job: JobSummary | undefined): string[] {
  if (!job) return []
  const keys = [`jobs/${job.id}`]
  if (job.kind === 'segments.create') keys.push(`segments/${job.segmentId}`)
  if (job.kind === 'matches.create') keys.push(`matches/${job.matchId}`)
  if (job.kind === 'activations.create') keys.push(`activations/${job.activationId}`)
  return keys
}
