import { guardSuite } from '../../contract/guard-suite.ts'
import { describeWithPostgres } from '../../support/postgres.ts'
import { distributedWorld } from './support/distributed-world.ts'

describeWithPostgres('on PostgreSQL', () => guardSuite('DBOS', distributedWorld))
