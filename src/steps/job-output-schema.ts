import { Job } from '../contract/job.ts'
import { type OperationId, operationOf } from '../contract/operations.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import { withoutUndefined } from '../core/without-undefined.ts'

/** Outputs whose fields only the contract knows, so they have no type. */
type OpenSchema = {
  readonly type: 'object'
  readonly properties: Readonly<Record<never, JsonSchema>>
}

/**
 * Outputs of an operation that starts a job: the job's id, and the id and fields of the resource that the job made. The
 * job's id is missing if the answer was lost and only the resource was found.
 */
export function jobOutputSchema(id: OperationId): OpenSchema {
  const { job, output, repeat } = operationOf(id)
  if (!job) return output ?? { type: 'object', properties: {} }
  const { segmentId, matchId, activationId, status } = Job.properties
  return {
    type: 'object',
    properties: withoutUndefined({
      jobId: { type: 'string', description: 'Id of the job; missing if the answer that named it was lost.' },
      jobStatus: status,
      segmentId,
      matchId,
      activationId,
      ...operationOf(job.read.operation).output?.properties,
      repeated: repeat === 'onceMore' ? repeatedOutput : undefined,
    }),
  }
}

/** Outputs of steps that may send a write again. */
const repeatedOutput = {
  type: 'boolean',
  description: 'True if an answer was lost and the request was sent again, so that it may have been done twice.',
} as const

/** Outputs of a step that creates what the operation makes, or refreshes it. `changed` describes that output. */
export function ensureOutput(id: OperationId, changed: string) {
  const output = jobOutputSchema(id)
  return {
    ...output,
    required: ['action', 'changed'],
    properties: {
      ...output.properties,
      repeated: repeatedOutput,
      action: { enum: ['created', 'updated', 'refreshed', 'unchanged'], description: 'What the step did.' },
      changed: { type: 'array', items: { type: 'string' }, description: changed },
    },
  } as const
}

export const refreshInput = (description: string) =>
  ({ enum: ['auto', 'always', 'never'], default: 'auto', description }) as const
