import { AudienceError } from '../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import type { Step } from '../core/pipeline.ts'
import type { StepType } from '../core/step-type.ts'
import { evaluateTemplate, hasExpressions } from '../expressions/evaluate.ts'
import { toInput, withFiles } from '../expressions/values.ts'
import type { Item } from './item.ts'
import type { RunFacts } from './run-facts.ts'
import { scopeOf } from './scope.ts'

/**
 * The `with` of a step, evaluated and in its in-memory form. Throws AudienceErrors if it does not fit its step type.
 */
export function stepInput(facts: RunFacts, place: { step: Step; item?: Item }): JsonObject {
  const { step } = place
  const type = typeOf(facts, step)
  const given = evaluateTemplate(step.with, hasExpressions(step.with) ? scopeOf(facts, place) : {})
  return inputOf(withFiles(given, type.input, facts.state.submission.folder), type, step)
}

function typeOf(facts: RunFacts, step: Step): StepType {
  const type = facts.stepTypes.get(step.uses)
  if (type) return type
  throw new AudienceError({
    code: 'unknown-step-type',
    kind: 'invalid',
    message: `step "${step.id}" uses "${step.uses}", which this version does not know`,
    at: step.at,
  })
}

function inputOf(value: Json, type: StepType, step: Step): JsonObject {
  const input = toInput(type.input, value)
  const violations = type.check(input).filter(({ isAdvice }) => !isAdvice)
  if (violations.length === 0 && isJsonObject(input)) return input
  const list = violations.map(({ pointer, message }) => `${pointer.slice(1) || type.name} ${message}`)
  throw new AudienceError({
    code: 'invalid-step-input',
    kind: 'failed',
    message: `\`with\` of step "${step.id}" does not fit ${type.name} once its expressions are known: ${list.join('; ')}`,
    hint: 'change the values, or the inputs that they come from',
    at: step.at,
  })
}
