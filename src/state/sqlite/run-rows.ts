import { hash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { sealedRecord } from '../../core/create-sealing.ts'
import type { RunRecord } from '../../core/run.ts'
import type { Redact } from '../../core/secrets.ts'
import { requireSameService, type ServiceAtHand } from '../../core/service-ref.ts'
import type { NewRun } from '../journal.ts'
import { effectsOf } from '../record-effects.ts'
import type { NewRecord } from '../run-store.ts'
import { assignments, CHANGES_BEFORE_END, type EffectTable, insertion, RUN_CHANGES } from '../sql/effect-rows.ts'
import { recordedService, textColumn } from '../sql/run-row.ts'
import { runColumns, runValues } from '../sql/submit.ts'
import type { CommitQueue } from './commit-queue.ts'
import type { Owner } from './owners.ts'
import { LAST_CHANGE } from './run-reads.ts'
import { toSqlite } from './sqlite-sql.ts'

/** Writes the table `runs` and the other tables that lists and charts read. Call its methods within a transaction. */
export interface RunRows {
  /** Adds a run with its first record. */
  insert(run: NewRun): void
  /** Throws `other-service`. */
  claim(runId: string): boolean
  release(runId: string): void
  /** Adds records to an existing run and updates its row. */
  write(runId: string, records: readonly NewRecord[]): void
  /** The active runs of this owner: begun and not ended. */
  held(): readonly string[]
  isHeld(runId: string): boolean
}

export function createRunRows(
  db: DatabaseSync,
  {
    owner,
    here,
    redact,
    queue,
  }: {
    owner: Owner
    here: ServiceAtHand
    redact: Redact
    queue: Pick<CommitQueue, 'transaction'>
  },
): RunRows {
  const { profile, service = null } = here
  const addDocument = db.prepare('INSERT INTO documents (digest, text) VALUES (?, ?)')
  const lastChange = db.prepare(LAST_CHANGE)
  // Inserts nothing if the document does not exist.
  const insert = db.prepare(`
    INSERT INTO runs (${runColumns('owner')}, updated_seq, document)
    SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, :change, id FROM documents WHERE digest = ?`)
  const insertRecord = db.prepare('INSERT INTO records (run_id, seq, at, data) VALUES (?, ?, ?, ?)')
  const insertFigure = db.prepare('INSERT OR REPLACE INTO run_figures (run_id, step, name, value) VALUES (?, ?, ?, ?)')
  const inserting = (table: EffectTable) =>
    db.prepare(toSqlite(insertion(table, (columns) => `VALUES (${columns.map((name) => `:${name}`).join(', ')})`)))
  const insertGuard = inserting('run_guards')
  const block = inserting('blocked')
  const waitForPartner = inserting('partner_waits')
  const decideGuard = db.prepare(
    `UPDATE run_guards SET verdict = ? WHERE run_id = ? AND step = ? AND place = ? AND verdict = 'held'`,
  )
  const unblock = db.prepare('DELETE FROM blocked WHERE run_id = ? AND step = ?')
  const endPartnerWait = db.prepare('DELETE FROM partner_waits WHERE run_id = ? AND step = ?')
  const ownerOf = db.prepare('SELECT owner, profile, service FROM runs WHERE run_id = ? AND finished_at IS NULL')
  const setOwner = db.prepare('UPDATE runs SET owner = ?, profile = ?, service = coalesce(?, service) WHERE run_id = ?')
  const release = db.prepare('UPDATE runs SET owner = NULL WHERE run_id = ? AND owner = ?')
  const held = db.prepare(`SELECT run_id FROM runs WHERE owner = ? AND finished_at IS NULL AND status <> 'queued'`)
  // Sets only what changes, because each further column would update its indexes.
  const setStatus = db.prepare(
    `UPDATE runs SET ${assignments(CHANGES_BEFORE_END, () => '?')}, updated_seq = ? WHERE run_id = ?`,
  )
  const finish = db.prepare(
    `UPDATE runs SET ${assignments(RUN_CHANGES, () => '?')}, updated_seq = ?, owner = NULL WHERE run_id = ?`,
  )
  let lastDocument: { readonly text: string; readonly digest: string } | undefined
  let change = 0
  let readIn = -1

  /** The number of this change. During the transaction nobody else changes a run. */
  function next(): number {
    if (readIn !== queue.transaction) {
      readIn = queue.transaction
      change = Number(lastChange.get()?.change)
    }
    change += 1
    return change
  }

  /** The digest of a document. The last one is kept, because many runs in a row have the same document. */
  function digestOf(text: string): string {
    if (text !== lastDocument?.text) lastDocument = { text, digest: hash('sha256', text, 'base64url') }
    return lastDocument.digest
  }

  function follow(runId: string, records: readonly NewRecord[]): void {
    const { run, figures, guards, decided, blocked, unblocked, ...partners } = effectsOf(records, redact)
    for (const step of partners.partnersAnswered) endPartnerWait.run(runId, step)
    for (const wait of partners.partnerWaits) waitForPartner.run({ run_id: runId, ...wait })
    for (const step of unblocked) unblock.run(runId, step)
    for (const row of blocked) block.run({ run_id: runId, ...row })
    for (const guard of guards) insertGuard.run({ run_id: runId, ...guard })
    for (const { step, place, verdict } of decided) decideGuard.run(verdict, runId, step, place)
    for (const [step, numbers] of figures)
      for (const [name, value] of numbers) insertFigure.run(runId, step, name, value)
    if (!run) return
    const [columns, statement] = run.finished_at === null ? [CHANGES_BEFORE_END, setStatus] : [RUN_CHANGES, finish]
    statement.run(...columns.map((column) => run[column]), next(), runId)
  }

  function add(runId: string, { seq, at, record, sealing }: NewRecord): void {
    insertRecord.run(runId, seq, at, sealedRecord(record, sealing))
  }

  return {
    insert(run) {
      const { runId, at, record, sealing } = run
      const { text: document, ...rest } = record
      owner.register()
      const digest = digestOf(document)
      const values = runValues(run, { here, redact, owner: owner.id })
      const change = next()
      const insertRun = () => insert.run({ change }, ...values, digest)
      if (insertRun().changes === 0) {
        addDocument.run(digest, document)
        insertRun()
      }
      // The text is in `documents`.
      add(runId, { seq: 0, at, record: rest as RunRecord, sealing })
    },
    claim(runId) {
      const row = ownerOf.get(runId)
      if (!row) return false
      const other = row.owner === owner.id ? undefined : textColumn(row.owner)
      if (other !== undefined && owner.lives(other)) return false
      if (!here.takesOthers) requireSameService({ runId, ...recordedService(row) }, here)
      owner.register()
      if (other !== undefined) owner.takeFrom(other)
      setOwner.run(owner.id, profile, service, runId)
      return true
    },
    release: (runId) => {
      release.run(runId, owner.id)
    },
    write(runId, records) {
      for (const record of records) add(runId, record)
      follow(runId, records)
    },
    held: () => held.all(owner.id).map((row) => String(row.run_id)),
    isHeld: (runId) => ownerOf.get(runId)?.owner === owner.id,
  }
}
