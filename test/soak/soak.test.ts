import { test } from 'vitest'
import { liveThroughSoak } from '../support/soak/live-through-soak.ts'
import { disturbancesOf, seed, soak, timeoutOf } from '../support/soak/soak.ts'

/*
 * The real command and the real service, killed, paused beyond their lease, out of disk and without answers at random
 * moments. The short form is part of every test run; `npm run soak` does 200 disturbances, or as many as
 * SOAK_DISTURBANCES says, with a seed that it prints and that SOAK_SEED repeats.
 */
// The last one is another full disk.
const disturbances = disturbancesOf(8)
const timeout = timeoutOf(disturbances)

test(`nothing is done twice and nothing is lost in ${disturbances} disturbances (seed ${seed})`, { timeout }, () =>
  soak(liveThroughSoak, disturbances),
)
