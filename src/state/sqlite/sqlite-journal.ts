import type { DatabaseSync } from 'node:sqlite'
import type { Submission } from '../../core/engine.ts'
import { stringifyJson } from '../../core/json.ts'
import type { RunGroup } from '../../core/run.ts'
import type { Redact } from '../../core/secrets.ts'
import { decideAdmission, type FullGroup } from '../decide-admission.ts'
import type { Journal, NewRun } from '../journal.ts'
import type { RunMessage } from '../run-history.ts'
import { RunTakenOverError } from '../run-store.ts'
import type { ServiceAtHand } from '../service-at-hand.ts'
import { actOf, decidedBefore, storedMessage, waitsHere } from '../sql/message-acts.ts'
import { admittedNow, recordsOfAdmission } from '../sql/queued-runs.ts'
import { sentMessages } from '../sql/sent-message.ts'
import { rowsOf } from '../sql/work.ts'
import type { AddAct } from './audit-rows.ts'
import type { CommitQueue } from './commit-queue.ts'
import { createOccurrenceRows } from './occurrence-rows.ts'
import type { Owner } from './owners.ts'
import { createRecordsTogether } from './records-together.ts'
import type { RunReads } from './run-reads.ts'
import { createRunRows } from './run-rows.ts'
import type { SqliteSql } from './sqlite-sql.ts'

/** The journal in a SQLite file that `openState` opened. */
export function createSqliteJournal(state: {
  readonly db: DatabaseSync
  readonly sql: SqliteSql
  readonly queue: CommitQueue
  readonly owner: Owner
  readonly redact: Redact
  readonly here: ServiceAtHand
  readonly reads: RunReads
  readonly addAct: AddAct
  /** Closes the database. */
  readonly close: () => void
}): Journal {
  const { db, sql, queue, owner, redact, here, reads, addAct, close } = state
  const runs = createRunRows(db, { owner, here, redact, queue })
  const occurrences = createOccurrenceRows(db, redact)
  /** The runs that this process has claimed and has not ended, released or lost. */
  const claimed = new Set<string>()
  /** Runs that another owner took and that `lost` has not returned yet. */
  const lost = new Set<string>()
  let epoch: number | undefined
  const insertMessage = db.prepare('INSERT INTO messages (run_id, data) VALUES (?, ?)')
  const myMessages = db.prepare(
    // There are few messages and many runs: hence the order of the join.
    'SELECT id, run_id, data FROM messages CROSS JOIN runs USING (run_id) WHERE owner = ? ORDER BY id',
  )
  const messagesOf = db.prepare('SELECT data FROM messages WHERE run_id = ?')
  const lastOfWait = db.prepare(
    `SELECT data ->> 'type' AS type FROM records
     WHERE run_id = ? AND data ->> 'step' = ? AND data ->> 'index' IS ? AND type IN ('step.waiting', 'decision.made')
     ORDER BY seq DESC LIMIT 1`,
  )
  const deleteMessage = db.prepare('DELETE FROM messages WHERE id = ?')

  const joinGroup = db.prepare('INSERT INTO run_groups (name, run_id, max) VALUES (?, ?, ?)')
  const groupSize = db.prepare('SELECT count(*) AS runs FROM run_groups WHERE name = ?')
  // Ids of runs begin with their creation time.
  const oldestOf = db.prepare('SELECT run_id FROM run_groups WHERE name = ? ORDER BY run_id LIMIT ?')
  const lastSeq = db.prepare('SELECT max(seq) AS seq FROM records WHERE run_id = ?')
  let checkedIn = -1

  /** Reads once per transaction: an owner that takes a run of this owner changes this owner's epoch. */
  function isMine(runId: string): boolean {
    if (checkedIn !== queue.transaction) {
      checkedIn = queue.transaction
      noteLosses()
    }
    return claimed.has(runId)
  }

  /** The groups without room for one more run, with the runs that would have to end first, oldest first. */
  function full(groups: readonly RunGroup[]): readonly FullGroup[] {
    return groups.flatMap((group) => {
      const excess = Number(groupSize.get(group.name)?.runs) - group.limit + 1
      if (excess <= 0) return []
      return [{ group, inTheWay: oldestOf.all(group.name, excess).map((row) => String(row.run_id)) }]
    })
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

  function send(runId: string, message: RunMessage): void {
    insertMessage.run(runId, redact(stringifyJson(storedMessage(message))))
  }

  /** Within a transaction. */
  function submit(run: NewRun): Submission {
    const submitted = admitted(run)
    const { record, startedBy } = run
    if (startedBy) {
      const outcome = submitted.existing ? submitted.state : 'done'
      addAct({ ...startedBy, act: record.seed ? 'run.retry' : 'run.start', subject: submitted.runId, outcome })
    }
    return submitted
  }

  function admitted({ runId, dedupeKey, at, record, groups = [], occurrence, hold }: NewRun): Submission {
    const asked = occurrence && { pipeline: record.pipeline, ...occurrence }
    const known = asked && occurrences.find(asked)
    const existing = known && known.state !== 'due' ? (known.runId ?? '') : runs.byDedupeKey(dedupeKey)
    if (existing !== undefined) return { runId: existing, existing: true, state: 'existing' }
    const decision = decideAdmission(full(groups), hold)
    if (decision.submission) {
      const { state, reason } = decision.occurrence
      if (asked) occurrences.settle(asked, state, reason)
      return decision.submission
    }
    const { cancels, queued } = decision
    for (const other of cancels) send(other, { kind: 'cancel' })
    const status = queued ? 'queued' : 'running'
    runs.insert({ runId, status, at, dedupeKey, record: queued ? { ...record, queued } : record })
    for (const { name, limit } of groups) joinGroup.run(name, runId, limit)
    if (asked) occurrences.take(asked, runId)
    return { runId, existing: false, state: status }
  }

  return {
    async submit(run) {
      const submitted = await queue.commit(() => submit(run))
      if (!submitted.existing) claimed.add(submitted.runId)
      return submitted
    },
    async admit({ at, room, orphans }) {
      const admitted = await queue.commit(() => {
        let living: ReadonlySet<unknown> | undefined
        const queued = rowsOf(QUEUED, [here.profile, here.service])
        const next = admittedNow(queued, {
          room,
          admittedBy(row) {
            if (row.owner === owner.id) return 'us'
            living ??= owner.living()
            if (living.has(row.owner)) return 'others'
            return orphans && row.is_of_here === 1 ? 'us' : 'nobody'
          },
        })
        return sql.now(next).filter((runId) => {
          if (!runs.claim(runId)) return false
          const seq = Number(lastSeq.get(runId)?.seq) + 1
          const records = sql.now(recordsOfAdmission(runId))
          const stored = records.map((record, index) => ({ seq: seq + index, at, record }))
          runs.write(runId, stored)
          return true
        })
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
    send: (runId, message) =>
      queue.commit(() => {
        if (message.kind === 'decide') {
          if (waitsHere(messagesOf.all(runId), message)) throw decidedBefore(runId)
          const { step, index = null } = message.ref
          if (lastOfWait.get(runId, step, index)?.type === 'decision.made') throw decidedBefore(runId)
        }
        send(runId, message)
        if (message.by !== undefined) addAct(actOf(runId, message))
      }),
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

const QUEUED = `SELECT run_id, pipeline, owner, profile = $1 AND (service IS NULL OR service = $2) AS is_of_here
  FROM audience.runs WHERE status = 'queued' ORDER BY submitted_at, run_id`
