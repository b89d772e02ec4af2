import { type OperationId, operations } from '../contract/operations.ts'
import { filesUpload } from './files-upload.ts'
import { operationStep } from './operation-step.ts'
import type { RunnableStepType } from './runnable-step-type.ts'

/** Step types that do more than their operation. */
const own: readonly RunnableStepType[] = [filesUpload]

/** Every step type, by name: one for each operation of the contract, and our own in their place or beside them. */
export const stepTypes: ReadonlyMap<string, RunnableStepType> = new Map(
  [...(Object.keys(operations) as OperationId[]).map(operationStep), ...own].map((type) => [type.name, type]),
)
