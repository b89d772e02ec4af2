import { stepMemorySuite } from '../../contract/step-memory-suite.ts'
import { sqlitePlace } from '../../support/sqlite-place.ts'

stepMemorySuite('SQLite', sqlitePlace)
