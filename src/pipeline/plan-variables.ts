import type { Json, JsonObject } from '../core/json.ts'
import type { Pipeline } from '../core/pipeline.ts'
import { evaluateTemplate } from '../expressions/evaluate.ts'
import type { References } from '../expressions/references.ts'
import { expressionsOf, referencesOf } from '../expressions/tree-of.ts'
import { readableVariables } from '../runs/scope.ts'

/** What a plan knows about the variables of a run that is started by hand. */
export interface PlannedVariables {
  /** As expressions read them. */
  readonly values: JsonObject
  /** The variables that only the run can compute, because they read the time, or more of `run` than its profile. */
  readonly unknown: readonly string[]
}

/** The variables that do not depend on the run itself. Throws AudienceError `expression-failed`. */
export function planVariables({
  pipeline,
  inputs,
  profile,
}: {
  pipeline: Pick<Pipeline, 'variables'>
  inputs: JsonObject
  profile: string
}): PlannedVariables {
  const values: Record<string, Json> = {}
  const unknown: string[] = []
  for (const [name, { value }] of Object.entries(pipeline.variables)) {
    if (expressionsOf(value).every((expression) => isKnownBefore(referencesOf(expression), values))) {
      const variables = readableVariables(pipeline, values)
      values[name] = evaluateTemplate(value, { inputs, trigger: { kind: 'manual' }, run: { profile }, variables })
    } else unknown.push(name)
  }
  return { values: readableVariables(pipeline, values), unknown }
}

/**
 * Whether an expression reads nothing of the run but its profile, and reads only variables that are known. Steps are
 * not checked.
 */
export function isKnownBefore(references: References, variables: JsonObject): boolean {
  if (references.calls.has('now') || references.calls.has('today')) return false
  return references.reads.every(({ root, path: [name] }) => {
    if (root === 'run') return name === 'profile'
    return root !== 'variables' || (name !== undefined && Object.hasOwn(variables, name))
  })
}
