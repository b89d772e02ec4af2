import { parseJson, stringifyJson } from '../../core/json.ts'
import type { RunRecord } from '../../core/run.ts'
import type { Redact } from '../../core/secrets.ts'
import type { RunHistory, RunMessage } from '../run-history.ts'
import { actOf, decidedBefore, storedMessage, waitsHere } from '../sql/message-acts.ts'
import type { AddAct } from './audit-rows.ts'
import type { Database, Query } from './database.ts'

/** Leaves a message for the worker that has the run, or gets it next. */
export function createSend(
  db: Database,
  { redact, addAct }: { readonly redact: Redact; readonly addAct: AddAct },
): RunHistory['send'] {
  return (runId, message) =>
    db.transaction(async (query) => {
      if (message.kind === 'decide') await requireUndecided(query, runId, message)
      await addMessage(query, { runId, message, redact })
      if (message.by !== undefined) await addAct(query, actOf(runId, message))
    })
}

/** Within the transaction of what it is a part of. */
export async function addMessage(
  query: Query,
  { runId, message, redact }: { readonly runId: string; readonly message: RunMessage; readonly redact: Redact },
): Promise<void> {
  await query('INSERT INTO audience.messages (run_id, data) VALUES ($1, $2)', [
    runId,
    redact(stringifyJson(storedMessage(message))),
  ])
}

type Decide = Extract<RunMessage, { kind: 'decide' }>

/** Throws `already-decided`. The lock makes two decisions about a run follow each other. */
async function requireUndecided(query: Query, runId: string, message: Decide): Promise<void> {
  await query('SELECT 1 FROM audience.runs WHERE run_id = $1 FOR NO KEY UPDATE', [runId])
  const waiting = await query('SELECT data FROM audience.messages WHERE run_id = $1', [runId])
  if (waitsHere(waiting.rows, message)) throw decidedBefore(runId)
  const { step, index } = message.ref
  const { rows } = await query(
    `SELECT data FROM audience.records WHERE run_id = $1
      AND (data LIKE '%"type":"step.waiting"%' OR data LIKE '%"type":"decision.made"%') ORDER BY seq DESC`,
    [runId],
  )
  const last = rows
    // Only the writer of runs writes records.
    .map((row) => parseJson(String(row.data)) as unknown as RunRecord)
    .filter((record) => record.type === 'step.waiting' || record.type === 'decision.made')
    .find((record) => record.step === step && record.index === index)
  if (last?.type === 'decision.made') throw decidedBefore(runId)
}
