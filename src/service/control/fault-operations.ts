import { invalidField, notFound } from '../api-error.ts'
import { type ControlContext, controlOperation, noInput } from './control-operation.ts'
import { FAULT_ACTIONS, FAULT_RULES, FaultSpec } from './fault-rule.ts'
import { canApply, type FaultRule } from './fault-rules.ts'

const ANSWER = '`id`, the rule, `seen` (requests that it could have applied to), `applied`'

export const faultOperations = {
  'faults.add': controlOperation({
    method: 'POST',
    path: '/faults',
    summary: 'Make requests to an operation fail.',
    description:
      'Faults apply to the participants’ API alone, to requests that are let in. Of several rules the oldest that applies is taken. Rules are forgotten when the service ends.',
    input: FaultSpec,
    rules: FAULT_RULES,
    answer: ANSWER,
    handle({ faults }, spec) {
      if (!canApply(spec.action, spec.operation)) {
        const wanted = spec.action === 'lag' ? 'an operation that makes something' : 'a list'
        throw invalidField('operation', `${spec.action} needs ${wanted}, not ${spec.operation}`)
      }
      return ruleView(faults.add(spec))
    },
  }),

  'faults.list': controlOperation({
    method: 'GET',
    path: '/faults',
    summary: 'List the fault rules, oldest first, and what can be made to fail.',
    input: noInput,
    answer: '`faults`, as `faults.add` answers them; `operations`, each with the `actions` that it can have',
    handle: ({ faults }) => ({
      faults: faults.list().map(ruleView),
      operations: FaultSpec.properties.operation.enum.map((operation) => ({
        operation,
        actions: FAULT_ACTIONS.filter((action) => canApply(action, operation)),
      })),
    }),
  }),

  'faults.delete': controlOperation({
    method: 'DELETE',
    path: '/faults/{id}',
    summary: 'Delete a fault rule.',
    input: {
      type: 'object',
      additionalProperties: false,
      required: ['id'],
      properties: { id: { type: 'string', description: 'Id of the rule.' } },
    },
    answer: '`done`: `delete`',
    handle({ faults }, { id }) {
      if (!faults.delete(id)) throw notFound('fault rule', id)
      return { done: 'delete', id }
    },
  }),

  'faults.clear': controlOperation({
    method: 'DELETE',
    path: '/faults',
    summary: 'Delete all fault rules; what they hid is shown again.',
    input: noInput,
    answer: '`done`: `clear`',
    handle({ faults, lag }: ControlContext) {
      faults.clear()
      lag.clear()
      return { done: 'clear' }
    },
  }),
}

function ruleView({ id, spec, seen, applied }: FaultRule) {
  return { id, ...spec, seen, applied }
}
