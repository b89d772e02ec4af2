import { test } from 'vitest'
import { liveThroughWorkers } from '../support/soak/live-through-workers.ts'
import { disturbancesOf, seed, soak } from '../support/soak/soak.ts'
import { hasPostgres } from '../support/start-postgres.ts'

/* Like soak.test.ts, but with several workers and one PostgreSQL, which is killed, too. */
const disturbances = disturbancesOf(6)

test.skipIf(!hasPostgres())(
  `nothing is done twice and nothing is lost in ${disturbances} disturbances of many workers (seed ${seed})`,

  () => soak(liveThroughWorkers, disturbances),
)
