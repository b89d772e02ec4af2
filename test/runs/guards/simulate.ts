import type { Band } from '../../../src/core/guard.ts'
import { bandOf, breachOf } from '../../../src/runs/guards/band.ts'
import { type HealthyList, nightsOf } from './nights.ts'

/** The verdicts of a guard on healthy nights, and on the same nights with a part of the list lost. */
export interface Tally {
  readonly nights: number
  readonly held: number
  readonly missed: number
}

const RUNS = 30
const WARM_UP = 7
/** Nights of one seed, after the warm-up. */
const NIGHTS = 200
/** The shares of the list that are lost. */
const LOSSES = [0.3, 0.35, 0.5, 0.9, 1]

/**
 * Simulates the nights of one seed. All healthy nights are good runs, even held ones, because a person approves them.
 */
function simulate(list: HealthyList, seed: number): Tally {
  const good: number[] = []
  let held = 0
  let missed = 0
  let nights = 0
  for (const { people, lost } of nightsOf(list, seed)) {
    if (good.length >= WARM_UP) {
      const learned = { band: bandOf(good.slice(-RUNS)) as Band }
      const isHeld = (value: number) => breachOf(value, { learned }) !== undefined
      nights += 1
      if (isHeld(people)) held += 1
      if (!LOSSES.every((share) => isHeld(lost(share)))) missed += 1
    }
    good.push(people)
    if (nights === NIGHTS) break
  }
  return { nights, held, missed }
}

export function simulateSeeds(list: HealthyList, seeds: readonly number[]): Tally {
  return seeds
    .map((seed) => simulate(list, seed))
    .reduce((sum, one) => ({
      nights: sum.nights + one.nights,
      held: sum.held + one.held,
      missed: sum.missed + one.missed,
    }))
}
