import { mutesSuite } from '../../contract/mutes-suite.ts'
import { sqlitePlace } from '../../support/sqlite-place.ts'

mutesSuite('SQLite', sqlitePlace)
