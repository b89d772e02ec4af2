import type { DatabaseSync } from 'node:sqlite'
import { AudienceError } from '../../core/errors.ts'
import { type Journal, type RunMessage, RunTakenOverError } from '../../core/journal.ts'
import { parseJson, stringifyJson } from '../../core/json.ts'
import type { RunRecord, StoredRecord } from '../../core/run.ts'
import type { CommitQueue } from './commit-queue.ts'
import type { Owner } from './owners.ts'
import { createRunRows } from './run-rows.ts'

/** Takes secrets out of text before it is written. */
export type Redact = (text: string) => string

/** The journal in a SQLite file that `openState` opened. */
export function createSqliteJournal(state: {
  readonly db: DatabaseSync
  readonly queue: CommitQueue
  readonly owner: Owner
  readonly redact: Redact
}): Journal {
  const { db, queue, owner, redact } = state
  const runs = createRunRows(db, owner)
  const insertRecord = db.prepare('INSERT INTO records (run_id, seq, at, data) VALUES (?, ?, ?, ?)')
  const recordsAfter = db.prepare('SELECT seq, at, data FROM records WHERE run_id = ? AND seq > ? ORDER BY seq')
  const deleteRecords = db.prepare('DELETE FROM records WHERE run_id = ?')
  const insertMessage = db.prepare('INSERT INTO messages (run_id, data) VALUES (?, ?)')
  const myMessages = db.prepare(
    'SELECT id, run_id, data FROM messages WHERE run_id IN (SELECT run_id FROM runs WHERE owner = ?) ORDER BY id',
  )
  const messagesOf = db.prepare('SELECT data FROM messages WHERE run_id = ?')
  const deleteMessage = db.prepare('DELETE FROM messages WHERE id = ?')

  function write(runId: string, { seq, at, record }: StoredRecord): void {
    insertRecord.run(runId, seq, at, redact(stringifyJson(record)))
    runs.follow(runId, at, record)
  }

  return {
    submit: ({ runId, dedupeKey, at, record }) =>
      queue.commit(() => {
        const existing = runs.byDedupeKey(dedupeKey)
        if (existing !== undefined) return { runId: existing, existing: true }
        runs.insert({ runId, pipeline: record.pipeline, at, dedupeKey })
        write(runId, { seq: 0, at, record })
        return { runId, existing: false }
      }),
    append: (runId, records) =>
      queue.commit(() => {
        if (!runs.isMine(runId)) throw new RunTakenOverError(runId)
        for (const record of records) write(runId, record)
      }),
    claim: (runId) => queue.commit(() => runs.claim(runId)),
    release: (runIds) =>
      queue.commit(() => {
        for (const runId of runIds) runs.release(runId)
      }),
    send: (runId, message) =>
      queue.commit(() => {
        const text = stringifyJson(message)
        if (message.kind === 'decide' && decidedAlready(messagesOf.all(runId), message)) throw decidedBefore(runId)
        insertMessage.run(runId, text)
      }),
    messages: () =>
      myMessages.all(owner.id).map((row) => ({
        id: Number(row.id),
        runId: String(row.run_id),
        // Only `send` puts text there.
        message: parseJson(String(row.data)) as unknown as RunMessage,
      })),
    acknowledge: (id) =>
      queue.commit(() => {
        deleteMessage.run(id)
      }),
    records: (runId, after = -1) =>
      recordsAfter.all(runId, after).map((row) => ({
        seq: Number(row.seq),
        at: Number(row.at),
        // Only `write` puts text there.
        record: parseJson(String(row.data)) as unknown as RunRecord,
      })),
    find: runs.find,
    list: runs.list,
    orphans: runs.orphans,
    lastSuccess: runs.lastSuccess,
    remove: (runIds) =>
      queue.commit(() => {
        for (const runId of runIds) if (runs.remove(runId)) deleteRecords.run(runId)
      }),
    close() {
      queue.flush()
      owner.close()
      db.close()
    },
  }
}

/** Whether a decision about the same step is on its way. */
function decidedAlready(
  rows: readonly Record<string, unknown>[],
  { ref }: Extract<RunMessage, { kind: 'decide' }>,
): boolean {
  return rows.some((row) => {
    const other = parseJson(String(row.data)) as unknown as RunMessage
    return other.kind === 'decide' && other.ref.step === ref.step && other.ref.index === ref.index
  })
}

function decidedBefore(runId: string): AudienceError {
  return new AudienceError({
    code: 'already-decided',
    kind: 'usage',
    message: `run ${runId} has a decision about this step already; it is acted on when the run goes on`,
    hint: `go on with it: audience runs resume ${runId}`,
  })
}
