import { admissionSuite } from '../../contract/admission-suite.ts'
import { auditLogSuite } from '../../contract/audit-log-suite.ts'
import { claimsSuite } from '../../contract/claims-suite.ts'
import { deploymentsSuite } from '../../contract/deployments-suite.ts'
import { endsSuite } from '../../contract/ends-suite.ts'
import { madeThingsSuite } from '../../contract/made-things-suite.ts'
import { mutesSuite } from '../../contract/mutes-suite.ts'
import { occurrenceModelSuite } from '../../contract/occurrence-model-suite.ts'
import { type OccurrenceStoreUnderTest, occurrenceStoreSuite, TAKEN } from '../../contract/occurrence-store-suite.ts'
import { outboxSuite } from '../../contract/outbox-suite.ts'
import { remoteLedgerSuite } from '../../contract/remote-ledger-suite.ts'
import { runFilterSuite } from '../../contract/run-filter-suite.ts'
import { runHistorySuite } from '../../contract/run-history-suite.ts'
import type { Place } from '../../contract/run-writer.ts'
import { stepMemorySuite } from '../../contract/step-memory-suite.ts'
import { describeWithPostgres } from '../../support/postgres.ts'
import { postgresPlace } from '../../support/postgres-place.ts'
import { tries } from '../../support/tries.ts'

describeWithPostgres('a state in PostgreSQL', () => {
  admissionSuite('PostgreSQL', postgresPlace)
  runHistorySuite('PostgreSQL', postgresPlace)
  outboxSuite('PostgreSQL', postgresPlace)
  auditLogSuite('PostgreSQL', postgresPlace)
  stepMemorySuite('PostgreSQL', postgresPlace)
  claimsSuite('PostgreSQL', postgresPlace)
  mutesSuite('PostgreSQL', postgresPlace)
  deploymentsSuite('PostgreSQL', postgresPlace)
  remoteLedgerSuite('PostgreSQL', postgresPlace)
  endsSuite('PostgreSQL', postgresPlace)
  madeThingsSuite('PostgreSQL', postgresPlace)
  const occurrencePlace = (): Place<OccurrenceStoreUnderTest> => {
    const place = postgresPlace()
    return {
      ...place,
      async open() {
        const { journal, occurrences } = await place.open()
        const record = {
          type: 'run.submitted',
          pipeline: 'p',
          file: 'p.yaml',
          folder: '/',
          text: '',
          digest: '',
        } as const
        return {
          occurrenceStore: occurrences,
          async take(noted, runId) {
            const {
              state: _state,
              reason: _reason,
              runId: _runId,
              ...occurrence
            } = { ...noted, trigger: TAKEN.trigger }
            const run = { runId, at: 1, record: { ...record, inputs: {}, trigger: {} }, occurrence }
            return !(await journal.submit(run)).existing
          },
          end: (runId, status, failed) =>
            journal.append(runId, [{ seq: 1, at: 2, record: { type: 'run.finished', status, ...failed } }]),
          close: journal.close,
        }
      },
    }
  }
  runFilterSuite('PostgreSQL', postgresPlace, { plans: tries(2, 50) })
  occurrenceStoreSuite('PostgreSQL', occurrencePlace)
  occurrenceModelSuite('PostgreSQL', occurrencePlace, { plans: tries(2, 50) })
})
