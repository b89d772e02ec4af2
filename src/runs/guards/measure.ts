import { type Json, stringifyJson } from '../../core/json.ts'
import type { Guard, Step } from '../../core/pipeline.ts'
import type { Measured } from '../../core/run.ts'
import { sha256 } from '../../core/sha256.ts'
import { evaluateNumber } from '../../expressions/evaluate.ts'
import type { Scope } from '../../expressions/values.ts'
import type { Item } from '../item.ts'
import { itemLabel } from '../item-label.ts'
import type { RunFacts } from '../run-facts.ts'
import { scopeOf } from '../scope.ts'
import { breachOf } from './band.ts'
import { learnedAbout, measureOf } from './learn.ts'

const ON_BREACH = { approve: 'held', fail: 'failed', warn: 'warned' } as const

/**
 * What the guard of a step measures in its outputs; undefined without a guard. Throws AudienceError `expression-failed`
 * if there is no number.
 */
export function measure(facts: RunFacts, place: { step: Step; item?: Item; outputs: Json }): Measured | undefined {
  const { guard, id } = place.step
  if (!guard) return undefined
  const scope = scopeOf(facts, place)
  const value = evaluateNumber(guard.of, scope)
  const item = place.item && nameOf(place.item, facts)
  const [min, max] = [limitOf(guard.min, scope), limitOf(guard.max, scope)]
  const learned = learnedAbout(facts.state.guards, { step: id, item })
  const breach = breachOf(value, { min, max, learned })
  const verdict = breach ? ON_BREACH[guard.onBreach] : 'good'
  return { of: measureOf(guard), item, value, verdict, breach }
}

function limitOf(limit: Guard['min'], scope: Scope): number | undefined {
  if (limit?.kind === 'expression') return evaluateNumber(limit.expression, scope)
  return limit?.kind === 'value' ? Number(limit.value) : undefined
}

/**
 * What identifies the items of a forEach from run to run, whatever their positions: their keys, or their names if all
 * names differ.
 */
function nameOf({ key, value, of }: Item, { state }: RunFacts): string {
  if (key !== undefined) return key
  const label = itemLabel(value)
  const isUnique = label !== undefined && labelsOf(state.steps.get(of.id)?.items ?? []).get(label) === 1
  return isUnique ? label : sha256(stringifyJson(value)).slice(0, 12)
}

/** How often each name occurs. Counted once for all items of a list. */
function labelsOf(items: readonly Json[]): ReadonlyMap<string, number> {
  const known = counted.get(items)
  if (known) return known
  const counts = new Map<string, number>()
  for (const item of items) {
    const label = itemLabel(item)
    if (label !== undefined) counts.set(label, (counts.get(label) ?? 0) + 1)
  }
  counted.set(items, counts)
  return counts
}

const counted = new WeakMap<readonly Json[], ReadonlyMap<string, number>>()
