import { didYouMean } from '../core/did-you-mean.ts'
import type { JsonSchema } from '../core/json-schema.ts'
import type { InputDeclaration } from '../core/pipeline.ts'
import type { Names } from '../expressions/check.ts'
import { childOf } from './document-node.ts'
import type { ExpressionChecker } from './expression-checker.ts'
import { typedInput } from './input-value.ts'
import type { TriggerDraft } from './read-triggers.ts'
import type { Reporter } from './reporter.ts'

/** Checks that the runs which a trigger starts get the inputs that they need, of the right types. */
export function checkTriggers(
  drafts: readonly TriggerDraft[],
  inputs: Readonly<Record<string, InputDeclaration>>,
  names: Names,
  checker: ExpressionChecker,
  reporter: Reporter,
): void {
  for (const { trigger, node } of drafts) {
    const given = childOf(node, 'inputs')
    for (const [name, template] of Object.entries(trigger.inputs)) {
      const declaration = Object.hasOwn(inputs, name) ? inputs[name] : undefined
      const entry = given?.kind === 'map' ? given.entries.get(name) : undefined
      if (!declaration) {
        checker.template(template, names)
        const hint = didYouMean(name, Object.keys(inputs))
        reporter.error({ code: 'unknown-input', message: `there is no input ${name}`, hint }, entry?.key ?? node)
        continue
      }
      checker.template(template, names, schemaOfInput(declaration))
      const typed = template.kind === 'value' ? typedInput(declaration, template.value) : undefined
      if (typed && 'problem' in typed) {
        const { message, hint } = typed.problem
        reporter.error({ code: 'wrong-value', message: `${name} ${message}`, hint }, entry?.value ?? node)
      }
    }
    for (const [name, declaration] of Object.entries(inputs)) {
      if (declaration.default !== undefined || Object.hasOwn(trigger.inputs, name)) continue
      const message = `the trigger ${trigger.id} does not give the input ${name}, which has no default`
      reporter.error({ code: 'missing-input', message }, childOf(node, 'id') ?? node)
    }
  }
}

/** The schema of the values that an input takes. */
function schemaOfInput({ type, values, items }: Omit<InputDeclaration, 'at'>): JsonSchema {
  switch (type) {
    case 'integer':
    case 'number':
    case 'boolean':
      return { type }
    case 'enum':
      return { enum: values ?? [] }
    case 'list':
      return { type: 'array', items: schemaOfInput({ type: items ?? 'string' }) }
    default:
      return { type: 'string' }
  }
}
