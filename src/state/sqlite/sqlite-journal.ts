import type { DatabaseSync } from 'node:sqlite'
import type { Redact } from '../../core/secrets.ts'
import type { ServiceAtHand } from '../../core/service-ref.ts'
import type { Journal, NewRun } from '../journal.ts'
import { RunTakenOverError } from '../run-store.ts'
import type { AddAct } from '../sql/audit.ts'
import { sentMessages } from '../sql/messages.ts'
import { admittedNow } from '../sql/queued-runs.ts'
import { createRunActs } from '../sql/run-acts.ts'
import { ofService, type ReadWorks } from '../sql/run-reads.ts'
import { submitWork } from '../sql/submit.ts'
import { rowsOf, type Work } from '../sql/work.ts'
import type { CommitQueue } from './commit-queue.ts'
import { sqliteOccurrenceDialect } from './occurrence-dialect.ts'
import type { Owner } from './owners.ts'
import { createRecordsTogether } from './records-together.ts'
import { createRunRows } from './run-rows.ts'
import type { SqliteSql } from './sqlite-sql.ts'

/** The reads of runs, as synchronous functions. */
export type SyncReads = {
  readonly [Name in keyof ReadWorks]: ReadWorks[Name] extends (...args: infer Args) => Work<infer Result>
    ? (...args: Args) => Result
    : never
}

/** The journal in an SQLite file that `openState` has opened. */
export function createSqliteJournal(state: {
  db: DatabaseSync
  sql: SqliteSql
  queue: CommitQueue
  owner: Owner
  redact: Redact
  here: ServiceAtHand
  reads: SyncReads
  addAct: AddAct
  /** Closes the database. */
  close: () => void
}): Journal {
  const { db, sql, queue, owner, redact, here, reads, addAct, close } = state
  const runs = createRunRows(db, { owner, here, redact, queue })
  /** The runs that this process has claimed, except those that have ended and those that it has released or lost. */
  const claimed = new Set<string>()
  /** Runs that another owner has taken and that `lost` has not returned yet. */
  const lost = new Set<string>()
  let epoch: number | undefined
  const myMessages = db.prepare(
    // The join starts with the messages, because there are few messages and many runs.
    'SELECT id, run_id, data FROM messages CROSS JOIN runs USING (run_id) WHERE owner = ? ORDER BY id',
  )
  const deleteMessage = db.prepare('DELETE FROM messages WHERE id = ?')
  let checkedIn = -1

  /**
   * Reads the epoch once per transaction. If another owner takes a run from this owner, the epoch of this owner
   * changes.
   */
  function isMine(runId: string): boolean {
    if (checkedIn !== queue.transaction) {
      checkedIn = queue.transaction
      noteLosses()
    }
    return claimed.has(runId)
  }

  function noteLosses(): void {
    const now = owner.epoch()
    if (now === epoch) return
    for (const runId of claimed) {
      if (runs.isHeld(runId)) continue
      claimed.delete(runId)
      lost.add(runId)
    }
    epoch = now
  }

  const submission = {
    ...{ redact, addAct, put: sqliteOccurrenceDialect(redact).put },
    insert(run: NewRun): [] {
      runs.insert(run)
      return []
    },
  }

  return {
    async submit(run) {
      const submitted = await sql.transaction(() => submitWork(run, submission))
      if (!submitted.existing) claimed.add(submitted.runId)
      return submitted
    },
    async admit({ at, room, orphans, taken, isBegun }) {
      // Most checks find no queued run, and a transaction takes longer than a check.
      if (sql.now(rowsOf(QUEUED, [here.profile, here.service])).length === 0) return []
      const admitted = await queue.commit(() => {
        let living: ReadonlySet<unknown> | undefined
        const queued = rowsOf(QUEUED, [here.profile, here.service])
        const next = admittedNow(queued, {
          at,
          room: room(),
          admittedBy(row) {
            if (isBegun?.(String(row.run_id))) return 'nobody'
            if (row.owner === owner.id) return 'us'
            living ??= owner.living()
            if (living.has(row.owner)) return 'others'
            return orphans && row.is_of_here === 1 ? 'us' : 'nobody'
          },
        })
        const runIds = sql.now(next).flatMap(({ runId, records }) => {
          if (!runs.claim(runId)) return []
          runs.write(runId, records)
          return [runId]
        })
        taken?.(runIds)
        return runIds
      })
      for (const runId of admitted) claimed.add(runId)
      return admitted
    },
    async append(runId, records, taken) {
      await queue.commit(() => {
        taken?.()
        if (!isMine(runId)) throw new RunTakenOverError(runId)
        runs.write(runId, records)
      })
      if (records.at(-1)?.record.type === 'run.finished') claimed.delete(runId)
    },
    async claim(runId) {
      const isClaimed = await queue.commit(() => runs.claim(runId))
      if (isClaimed) claimed.add(runId)
      return isClaimed
    },
    async release(runIds) {
      for (const runId of runIds) claimed.delete(runId)
      await queue.commit(() => {
        for (const runId of runIds) runs.release(runId)
      })
    },
    send: createRunActs(sql, { redact, addAct }).send,
    messages: () => sentMessages(myMessages.all(owner.id)),
    acknowledge: (id) =>
      queue.commit(() => {
        deleteMessage.run(id)
      }),
    records: reads.records,
    recordsTogether: createRecordsTogether(db, reads.records),
    owns: (runId) => claimed.has(runId) && runs.isHeld(runId),
    lost() {
      noteLosses()
      const taken = [...lost]
      lost.clear()
      return taken
    },
    held: runs.held,
    find: reads.find,
    orphans: reads.orphans,
    lastSuccess: (pipeline) => reads.lastSuccess(pipeline)?.runId,
    guardValues: reads.guardValues,
    close() {
      queue.flush()
      owner.close()
      close()
    },
  }
}

const QUEUED = `SELECT run_id, pipeline, owner, ${ofService('$1', '$2')} AS is_of_here
  FROM audience.runs WHERE status = 'queued' ORDER BY submitted_at, run_id`
