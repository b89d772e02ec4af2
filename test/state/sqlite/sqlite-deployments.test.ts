import { deploymentsSuite } from '../../contract/deployments-suite.ts'
import { sqlitePlace } from '../../support/sqlite-place.ts'

deploymentsSuite('SQLite', sqlitePlace)
