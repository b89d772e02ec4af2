import type { ApiError } from '../../../src/adapter/api-error.ts'
import type { Job } from '../../../src/contract/job.ts'
import { type OperationId, operationOf } from '../../../src/contract/operations.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import type { StepServices } from '../../../src/steps/define-step.ts'
import { freeClaims } from './free-claims.ts'
import { stillService } from './still-service.ts'

type Reads = Readonly<Record<string, Readonly<Record<string, (input: JsonObject) => Promise<unknown>>>>>

/** The answer to a write. */
type Answer = JsonObject | ApiError | (() => Promise<JsonObject>)

/**
 * The dependencies of whole steps, for a service that always shows the same. `answers` has the answers to writes, and
 * `sent` all writes in order. Jobs keep their status, and a wait for a job ends immediately.
 */
export function answeringService(
  shows: Parameters<typeof stillService>[0],
  answers: Partial<Record<OperationId, Answer>> = {},
) {
  const service = stillService(shows)
  const { api } = service
  const sent: [OperationId, JsonObject][] = []
  const call = async (id: OperationId, input: JsonObject) => {
    const [group = '', name = ''] = id.split('.')
    if (operationOf(id).method === 'GET') return (whole as unknown as Reads)[group]?.[name]?.(input)
    sent.push([id, input])
    const answer = answers[id] ?? {}
    if (answer instanceof Error) throw answer
    return typeof answer === 'function' ? answer() : answer
  }
  const waitForJob = (jobId: string): Promise<Job> => api.jobs.get({ jobId })
  const segments = { ...api.segments, update: (input: JsonObject) => call('segments.update', input) }
  const whole = { ...api, segments, untyped: { call }, waitForJob }
  return { ...service, sent, claims: freeClaims, api: whole } as unknown as StepServices &
    typeof service & { readonly sent: typeof sent }
}
