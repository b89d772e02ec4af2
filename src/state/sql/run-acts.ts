import { type AudienceError, usageError } from '../../core/errors.ts'
import { parseJson } from '../../core/json.ts'
import { actorOf, type RunRecord, stepKey } from '../../core/run.ts'
import type { Redact } from '../../core/secrets.ts'
import type { Act } from '../audit-log.ts'
import type { RunHistory, RunMessage } from '../run-history.ts'
import type { AddAct } from './audit.ts'
import { addMessage, sentDecisions } from './messages.ts'
import { below } from './run-reads.ts'
import { rowOf, rowsOf, type Sql, send, type Work } from './work.ts'

/**
 * Messages to runs, acknowledged failures, and runs that nobody watches any more. `lock` ensures that only one decision
 * about a run is stored at a time.
 */
export function createRunActs(
  sql: Sql,
  { redact, addAct, lock }: { redact: Redact; addAct: AddAct; lock?: (runId: string) => Work<unknown> },
): Pick<RunHistory, 'send' | 'acknowledge' | 'leave'> {
  return {
    send: (runId, message) =>
      sql.transaction(function* () {
        if (message.kind === 'decide') {
          if (lock) yield* lock(runId)
          yield* requireUndecided(runId, message)
        }
        yield* addMessage(runId, message, redact)
        if (message.by !== undefined) yield* addAct(actOf(runId, message))
      }),
    acknowledge: (runId, { at, ...actor }) =>
      sql.transaction(function* () {
        const run = yield* rowOf(FAILED, [runId])
        if (!run) return false
        const { by, comment } = actor
        yield* send(ACKNOWLEDGE, [run.pipeline, run.error_key, at, by && redact(by), comment && redact(comment)])
        yield* addAct({ ...actor, act: 'run.acknowledge', subject: runId, outcome: 'done' })
        return true
      }),
    leave: (runId, at) =>
      sql.transaction(function* () {
        yield* send(LEAVE, [at, runId])
        yield* send(ASK_PEOPLE, [runId])
        yield* send(AWAIT_PARTNERS, [runId])
      }),
  }
}

/** Throws `already-decided` if there is a decision about the same step. */
function* requireUndecided(runId: string, { ref }: Extract<RunMessage, { kind: 'decide' }>): Work<void> {
  const sent = sentDecisions(yield* rowsOf('SELECT data FROM audience.messages WHERE run_id = $1', [runId]))
  if (sent.some((other) => stepKey(other.ref) === stepKey(ref))) throw decidedBefore(runId)
  const last = (yield* rowsOf(WAITS, [runId]))
    // Only the writer of runs writes records.
    .map((row) => parseJson(String(row.data)) as unknown as RunRecord)
    .filter((record) => record.type === 'step.waiting' || record.type === 'decision.made')
    .find((record) => record.step === ref.step && record.index === ref.index)
  if (last?.type === 'decision.made') throw decidedBefore(runId)
}

/** The audit log entry for a message from a person. */
function actOf(runId: string, message: RunMessage): Act {
  const done = { ...actorOf(message), subject: runId, outcome: 'done' }
  return message.kind === 'cancel'
    ? { ...done, act: 'run.cancel' }
    : { ...done, act: `run.${message.decision}`, detail: stepKey(message.ref) }
}

function decidedBefore(runId: string): AudienceError {
  return usageError(
    'already-decided',
    `run ${runId} already has a decision about this step, which takes effect when the run continues`,
    `continue it: audience runs resume ${runId}`,
  )
}

const WAITS = `SELECT data FROM audience.records WHERE run_id = $1
  AND (data LIKE '%"type":"step.waiting"%' OR data LIKE '%"type":"decision.made"%') ORDER BY seq DESC`
const FAILED = `SELECT pipeline, error_key FROM audience.runs WHERE run_id = $1 AND status = 'failed'`
const ACKNOWLEDGE = `INSERT INTO audience.acknowledged (pipeline, error_key, at, who, comment) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (pipeline, error_key) DO UPDATE SET at = excluded.at, who = excluded.who, comment = excluded.comment,
    ended_at = NULL`
const LEAVE = `UPDATE audience.runs SET left_at = $1 WHERE run_id = $2 AND left_at IS NULL AND finished_at IS NULL`
const ALL = `${below('SELECT run_id FROM audience.runs WHERE run_id = $1 AND left_at IS NOT NULL')} SELECT id FROM below`
/**
 * Adds an event for each run that is waiting for a person. Until now, the person who watched the run saw its
 * questions, so nobody was notified of them.
 */
const ASK_PEOPLE = `INSERT INTO audience.outbox_events (kind, run_id)
  SELECT 'waiting', run_id FROM audience.runs WHERE status = 'waiting' AND run_id IN (${ALL})
    AND EXISTS (SELECT 1 FROM audience.checkpoints WHERE name = 'notify')`
const AWAIT_PARTNERS = `UPDATE audience.partner_waits SET told_at = NULL WHERE run_id IN (${ALL})`
