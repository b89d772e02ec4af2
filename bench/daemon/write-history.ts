import { openState } from '../../src/state/sqlite/open-state.ts'
import { packRecords } from '../../src/state/sqlite/packed-records.ts'
import type { DocumentText } from './write-documents.ts'

/** Half an hour. Runs that are more than a few days old are counted, but nothing else about them is read. */
const APART_MS = 1_800_000

/** Fills the state with runs of schedules that have succeeded, the last a day ago. */
export function writeHistory(folder: string, documents: readonly DocumentText[], runs: number): void {
  const db = openState(folder)
  const run = db.prepare(
    `INSERT INTO runs (run_id, pipeline, profile, status, submitted_at, finished_at) VALUES (?, ?, 'bench', 'succeeded', ?, ?)`,
  )
  // The records are packed, as the daemon leaves those of ended runs. Otherwise the daemon would pack them while it
  // should be idle.
  const records = db.prepare('INSERT INTO packed_records (run_id, records, data) VALUES (?, 1, ?)')
  const occurrence = db.prepare(
    `INSERT INTO occurrences (pipeline, trigger_name, key, at, state, run_id) VALUES (?, 'nightly', ?, ?, 'ran', ?)`,
  )
  const last = Date.now() - 86_400_000
  db.exec('BEGIN')
  for (let n = 0; n < runs; n++) {
    const at = last - Math.floor((runs - n) / documents.length) * APART_MS
    const pipeline = documents[n % documents.length]?.name ?? ''
    const id = `run-${String(n).padStart(9, '0')}`
    run.run(id, pipeline, at, at + 1000)
    const data = JSON.stringify({ type: 'run.finished', status: 'succeeded', outputs: {} })
    records.run(id, packRecords([{ at, data }]))
    occurrence.run(pipeline, new Date(at).toISOString(), at, id)
  }
  db.exec('COMMIT')
  db.close()
}
