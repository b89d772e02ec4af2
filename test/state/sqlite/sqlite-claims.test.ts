import { claimsSuite } from '../../contract/claims-suite.ts'
import { sqlitePlace } from '../../support/sqlite-place.ts'

claimsSuite('SQLite', sqlitePlace)
