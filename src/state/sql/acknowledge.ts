import type { Redact } from '../../core/secrets.ts'
import type { RunHistory } from '../run-history.ts'
import type { AddAct } from './audit.ts'
import { rowOf, type Sql, send } from './work.ts'

export function createAcknowledge(
  sql: Sql,
  { redact, addAct }: { readonly redact: Redact; readonly addAct: AddAct },
): RunHistory['acknowledge'] {
  const redacted = (value: string | undefined) => (value === undefined ? null : redact(value))
  return (runId, { at, ...actor }) =>
    sql.transaction(function* () {
      const run = yield* rowOf(FAILED, [runId])
      if (!run) return false
      const { pipeline, error_key } = run
      yield* send(ACKNOWLEDGE, [pipeline, error_key, at, redacted(actor.by), redacted(actor.comment)])
      yield* addAct({ ...actor, act: 'run.acknowledge', subject: runId, outcome: 'done' })
      return true
    })
}

const FAILED = `SELECT pipeline, error_key FROM audience.runs WHERE run_id = $1 AND status = 'failed'`
const ACKNOWLEDGE = `INSERT INTO audience.acknowledged (pipeline, error_key, at, who, comment) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (pipeline, error_key) DO UPDATE SET at = excluded.at, who = excluded.who, comment = excluded.comment,
    ended_at = NULL`
