import { apiSuite } from './api-suite.ts'
import { DOCUMENTS } from './documents.ts'
import { startConsoleBench } from './support/console-bench.ts'

apiSuite((config) => startConsoleBench(DOCUMENTS, { config }))
