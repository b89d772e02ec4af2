import { test } from 'vitest'
import { liveThroughSoak } from '../support/soak/live-through-soak.ts'
import { disturbancesOf, seed, soak } from '../support/soak/soak.ts'

/*
 * The real command and the real service. At random moments they are killed, paused for longer than their lease, or left
 * without disk space or without answers. Every test run has the short form; `npm run soak` makes 200 disturbances, or
 * SOAK_DISTURBANCES, with a seed that it prints and that SOAK_SEED repeats.
 */
// The last disturbance is another full disk.
const disturbances = disturbancesOf(8)

test(`nothing is done twice and nothing is lost in ${disturbances} disturbances (seed ${seed})`, () =>
  soak(liveThroughSoak, disturbances))
