import { describe } from 'vitest'
import { describeWithPostgres } from '../../support/postgres.ts'
import { startConsoleBench } from '../support/console-bench.ts'
import { NOT_BY_SUBMITTER, OWN_RUNS, ownRunsSuite } from './own-runs-suite.ts'

describe('one process', () => ownRunsSuite(() => startConsoleBench(OWN_RUNS, { config: NOT_BY_SUBMITTER })))

describeWithPostgres('two workers of one database, asked in turn', () =>
  ownRunsSuite(() => startConsoleBench(OWN_RUNS, { config: NOT_BY_SUBMITTER, workers: 2 })),
)
