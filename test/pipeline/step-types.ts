import type { Operation } from '../../src/contract/operation.ts'
import { isOperationId, operations } from '../../src/contract/operations.ts'
import { validateInput } from '../../src/contract/validate-input.ts'
import type { ObjectSchema } from '../../src/core/json-schema.ts'
import type { StepType } from '../../src/core/step-type.ts'

/** Step types as a pipeline sees them, from the contract: enough to check documents, but without any work. */
export const stepTypes: ReadonlyMap<string, StepType> = new Map(
  [
    ...Object.entries<Operation>(operations).map(([id, operation]) => ofOperation(id, operation)),
    ensure('segments.ensure', 'segments.create', 'segments.get', 'segmentId'),
    ensure('matches.ensure', 'matches.create', 'matches.get', 'matchId'),
    ensure('activations.ensure', 'activations.create', 'activations.get', 'activationId'),
    webhook(),
  ].map((type) => [type.name, type]),
)

function ofOperation(name: string, operation: Operation): StepType {
  return {
    name,
    summary: operation.summary,
    input: operation.input,
    check: (input) => (isOperationId(name) ? validateInput(name, input) : []),
    output: operation.output ?? { type: 'object', properties: {} },
    startsJob: operation.job !== undefined,
  }
}

/** Has the inputs of the creation, and the outputs of a read with the id. */
function ensure(name: string, create: string, read: string, id: string): StepType {
  const all: Record<string, Operation> = operations
  const [creating, reading] = [all[create]!, all[read]!]
  const output: ObjectSchema = {
    type: 'object',
    properties: {
      ...reading.output?.properties,
      [id]: { type: 'string', format: 'int64' },
      action: { enum: ['create', 'update', 'refresh', 'leave'] },
    },
  }
  if (name === 'segments.ensure') Object.assign(output.properties, { segmentId: { type: 'string' } })
  return { ...ofOperation(create, creating), name, output, startsJob: true }
}

function webhook(): StepType {
  const input: ObjectSchema = {
    type: 'object',
    required: ['url', 'text'],
    properties: {
      url: { type: 'string', description: 'Where to send it.' },
      text: { type: 'string', description: 'What to say.' },
    },
    additionalProperties: false,
  }
  return {
    name: 'notify.webhook',
    summary: 'Send a message.',
    input,
    check: (value) =>
      ['url', 'text'].flatMap((missingProperty) =>
        typeof value === 'object' && value !== null && missingProperty in value
          ? []
          : [{ pointer: '', keyword: 'required', message: 'is required', params: { missingProperty } }],
      ),
    output: { type: 'object', properties: { status: { type: 'integer' } } },
    startsJob: false,
  }
}
