import { describeWithPostgres } from '../../support/postgres.ts'
import { DOCUMENTS } from '../documents.ts'
import { startConsoleBench } from '../support/console-bench.ts'
import { apiSuite } from './api-suite.ts'

describeWithPostgres('two workers of one database, asked in turn', () => {
  apiSuite((config) => startConsoleBench(DOCUMENTS, { config, workers: 2 }))
})
