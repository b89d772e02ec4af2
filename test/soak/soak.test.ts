import { test } from 'vitest'
import { liveThroughSoak } from '../support/soak/live-through-soak.ts'
import { disturbances, seed, soak, timeout } from '../support/soak/soak.ts'

/*
 * The real command and the real service, killed, paused beyond their lease, out of disk and without answers at random
 * moments. The short form is part of every test run; `npm run soak` does 200 disturbances, or as many as
 * SOAK_DISTURBANCES says, with a seed that it prints and that SOAK_SEED repeats.
 */
test(`nothing is done twice and nothing is lost in ${disturbances} disturbances (seed ${seed})`, { timeout }, () =>
  soak(liveThroughSoak),
)
