import type { InputOf } from '../contract/operations.ts'
import { isJsonObject } from '../core/json.ts'
import { operationStep } from './operation-step.ts'
import type { RunnableStepType } from './runnable-step-type.ts'
import { withScopes } from './with-scopes.ts'

/** The service's default for both is true, so the author of a pipeline has to state them (decision 65). */
const STATED = ['shareSegmentName', 'accessBgIds'] as const

const operation = operationStep('matches.create')

/** The operation, with the flags required that share data with others. */
export const matchesCreate: RunnableStepType = {
  ...operation,
  async run(context, request, services) {
    // The engine has checked the input against the operation's schema.
    const given = request.input as unknown as InputOf<'matches.create'>
    const input = { ...(await withScopes(given, context, services)) }
    return operation.run(context, { ...request, input }, services)
  },
  input: { ...operation.input, required: [...(operation.input.required ?? []), ...STATED] },
  check: (input) => [
    ...operation.check(input),
    ...STATED.filter((name) => isJsonObject(input) && input[name] === undefined).map((missingProperty) => ({
      pointer: '',
      keyword: 'required',
      message: `${missingProperty} is required`,
      params: { missingProperty },
    })),
  ],
}
