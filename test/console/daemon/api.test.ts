import { DOCUMENTS } from '../documents.ts'
import { startConsoleBench } from '../support/console-bench.ts'
import { apiSuite } from './api-suite.ts'

apiSuite((config) => startConsoleBench(DOCUMENTS, { config }))
