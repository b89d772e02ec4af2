import { endsSuite } from '../../contract/ends-suite.ts'
import { sqlitePlace } from '../../support/sqlite-place.ts'

endsSuite('SQLite', sqlitePlace)
