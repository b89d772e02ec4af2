import { test } from 'vitest'
import { liveThroughWorkers } from '../support/soak/live-through-workers.ts'
import { disturbances, seed, soak, timeout } from '../support/soak/soak.ts'
import { hasPostgres } from '../support/start-postgres.ts'

/* As soak.test.ts, with several workers over one PostgreSQL, which is killed as well. */
test.skipIf(!hasPostgres())(
  `nothing is done twice and nothing is lost in ${disturbances} disturbances of many workers (seed ${seed})`,
  { timeout },
  () => soak(liveThroughWorkers),
)
