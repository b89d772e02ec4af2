import { engineSuite } from '../../contract/engine-suite.ts'
import { describeWithPostgres } from '../../support/postgres.ts'
import { distributedWorld } from './support/distributed-world.ts'

describeWithPostgres('on PostgreSQL', () => engineSuite('DBOS', distributedWorld))
