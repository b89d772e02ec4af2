import { isOperationId, type OperationId, operationOf } from '../../contract/operations.ts'
import type { FaultAction, FaultSpec } from './fault-rule.ts'

export interface FaultRule {
  /** `f1`, `f2`, … */
  readonly id: string
  readonly spec: FaultSpec
  /** The number of requests that it could have applied to. */
  readonly seen: number
  /** The number of requests that it was applied to. */
  readonly applied: number
}

/** Makes requests fail on purpose. The same rules and the same order of requests cause the same faults. */
export interface FaultRules {
  add(spec: FaultSpec): FaultRule
  list(): FaultRule[]
  /** Returns whether the rule existed. */
  delete(id: string): boolean
  clear(): void
  /** Returns the rule for a request: the oldest rule that applies. Every rule for the operation counts the request. */
  next(operation: OperationId): FaultRule | undefined
}

export function createFaultRules(): FaultRules {
  const rules = new Map<string, ActiveRule>()
  let given = 0
  return {
    add(spec) {
      const rule = new ActiveRule(`f${++given}`, spec)
      rules.set(rule.id, rule)
      return rule
    },
    list: () => [...rules.values()],
    delete: (id) => rules.delete(id),
    clear() {
      rules.clear()
      given = 0
    },
    next(operation) {
      if (rules.size === 0) return undefined
      let chosen: ActiveRule | undefined
      for (const rule of rules.values()) {
        if (rule.meets(operation) && !chosen) chosen = rule
      }
      if (chosen) chosen.applied++
      return chosen
    },
  }
}

/**
 * Whether an action makes sense for an operation. Only lists can repeat rows. Only operations that create something can
 * make it visible late.
 */
export function canApply(action: FaultAction, operation: string): boolean {
  if (operation === '*') return true
  if (!isOperationId(operation)) return false
  const { list, job, upload } = operationOf(operation)
  if (action === 'duplicate') return list !== undefined
  return action !== 'lag' || job !== undefined || upload !== undefined
}

class ActiveRule implements FaultRule {
  readonly id: string
  readonly spec: FaultSpec
  readonly #random: () => number
  seen = 0
  applied = 0

  constructor(id: string, spec: FaultSpec) {
    this.id = id
    this.spec = spec
    this.#random = randomFrom(spec.seed ?? 0)
  }

  /** Counts a request, and returns whether the rule applies to it. */
  meets(operation: OperationId): boolean {
    const {
      operation: wanted,
      action,
      nth,
      probability,
      times = nth === undefined ? Number.POSITIVE_INFINITY : 1,
    } = this.spec
    if ((wanted !== '*' && wanted !== operation) || !canApply(action, operation)) return false
    this.seen++
    // Every request uses one number of the sequence, so that other rules do not change the result.
    const drawn = probability === undefined || this.#random() < probability
    return drawn && this.seen >= (nth ?? 1) && this.applied < times
  }
}

/**
 * Numbers from 0 (inclusive) to 1 (exclusive), the same numbers for the same seed: a Weyl sequence, mixed (splitmix32).
 */
function randomFrom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
}
