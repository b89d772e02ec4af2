import { remoteLedgerSuite } from '../../contract/remote-ledger-suite.ts'
import { sqlitePlace } from '../../support/sqlite-place.ts'

remoteLedgerSuite('SQLite', sqlitePlace)
