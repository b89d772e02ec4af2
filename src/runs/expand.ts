import { AudienceError } from '../core/errors.ts'
import { count, grouped } from '../core/format/figures.ts'
import type { Json } from '../core/json.ts'
import type { Template } from '../core/template.ts'
import { evaluateTemplate } from '../expressions/evaluate.ts'
import { type Item, itemAt, type Looping } from './item.ts'
import type { RunFacts } from './run-facts.ts'
import { scopeOf } from './scope.ts'

/** A forEach over more items is refused. */
const MAX_FOR_EACH_ITEMS = 10_000
/** The maximum length of a key, in UTF-16 units. */
const MAX_KEY_LENGTH = 100

/** The items of a forEach, and their keys in the same order if it gives keys. */
export interface Expansion {
  readonly items: readonly Json[]
  readonly keys?: readonly string[]
}

/** The items of a forEach and their keys. Throws an AudienceError if the forEach cannot work on them. */
export function expand(step: Looping, evaluated: (template: Template, item?: Item) => Json): Expansion {
  const items = listOf(evaluated(step.forEach.items), step)
  const keys = keysOf(items, step, evaluated)
  return { items, keys }
}

/** The items of a forEach and their keys, evaluated with the scope of a run. */
export function expandInRun(facts: RunFacts, step: Looping): Expansion {
  return expand(step, (template, item) => evaluateTemplate(template, scopeOf(facts, { step, item })))
}

function listOf(value: Json, step: Looping): readonly Json[] {
  if (Array.isArray(value) && value.length <= MAX_FOR_EACH_ITEMS) return value
  throw new AudienceError({
    code: 'for-each-items',
    kind: 'failed',
    message: Array.isArray(value)
      ? `forEach of step "${step.id}" has ${count(value.length, 'item')}; the limit is ${grouped(MAX_FOR_EACH_ITEMS)}`
      : `forEach of step "${step.id}" needs a list of items`,
    hint: 'change `items` of the step',
    at: step.at,
  })
}

/**
 * The keys of items: unique strings, because they name the items in every record; undefined if the forEach has none.
 */
function keysOf(
  items: readonly Json[],
  step: Looping,
  evaluated: (template: Template, item: Item) => Json,
): readonly string[] | undefined {
  const { id, forEach, at } = step
  const { key } = forEach
  if (!key) return undefined
  const seen = new Map<string, number>()
  return items.map((_, index) => {
    const value = evaluated(key, itemAt(step, { items }, index))
    const text = typeof value === 'bigint' ? String(value) : value
    const problem = problemOf(text, seen)
    if (problem !== undefined || typeof text !== 'string') throw badKey(`item ${index} of step "${id}" ${problem}`, at)
    seen.set(text, index)
    return text
  })
}

function problemOf(key: Json, seen: ReadonlyMap<string, number>): string | undefined {
  if (typeof key !== 'string') return 'has a key that is not a text'
  if (key.trim() === '') return 'has an empty key'
  if (key.length > MAX_KEY_LENGTH)
    return `has a key of ${count(key.length, 'character')}; the limit is ${MAX_KEY_LENGTH}`
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a key appears in log lines and in commands
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(key)) return 'has a key with a control character'
  const other = seen.get(key)
  return other === undefined ? undefined : `has the key ${JSON.stringify(key)}, which item ${other} also has`
}

function badKey(message: string, at: Looping['at']): AudienceError {
  const hint = 'change `key` of the forEach, or the items: each item needs a different text as its key'
  return new AudienceError({ code: 'for-each-key', kind: 'failed', message, hint, at })
}
