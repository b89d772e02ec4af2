import type { RunHistory } from '../run-history.ts'
import { below } from './run-reads.ts'
import { type Sql, send } from './work.ts'

export function createLeave(sql: Sql): RunHistory['leave'] {
  return (runId, at) =>
    sql.transaction(function* () {
      yield* send(LEAVE, [at, runId])
      yield* send(ASK_PEOPLE, [runId])
      yield* send(AWAIT_PARTNERS, [runId])
    })
}

const LEAVE = `UPDATE audience.runs SET left_at = $1 WHERE run_id = $2 AND left_at IS NULL AND finished_at IS NULL`
const ALL = `${below('SELECT run_id FROM audience.runs WHERE run_id = $1 AND left_at IS NOT NULL')} SELECT id FROM below`
/** The person who watched the run has seen the questions so far. */
const ASK_PEOPLE = `INSERT INTO audience.outbox_events (kind, run_id)
  SELECT 'waiting', run_id FROM audience.runs WHERE status = 'waiting' AND run_id IN (${ALL})
    AND EXISTS (SELECT 1 FROM audience.checkpoints WHERE name = 'notify')`
const AWAIT_PARTNERS = `UPDATE audience.partner_waits SET told_at = NULL WHERE run_id IN (${ALL})`
