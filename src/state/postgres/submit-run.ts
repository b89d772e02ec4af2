import { hash } from 'node:crypto'
import { sealedRecord } from '../../core/create-sealing.ts'
import type { Submission } from '../../core/engine.ts'
import type { RunRecord } from '../../core/run.ts'
import type { Redact } from '../../core/secrets.ts'
import type { ServiceAtHand } from '../../core/service-ref.ts'
import type { NewRun } from '../journal.ts'
import type { AddAct } from '../sql/audit.ts'
import { runColumns, runValues, submitWork } from '../sql/submit.ts'
import { send, type Work } from '../sql/work.ts'
import { doWork, lockAll, type Query } from './database.ts'
import { postgresOccurrenceDialect } from './occurrence-dialect.ts'

/** The dependencies of all code that writes runs. */
export interface WritesDeps {
  here: ServiceAtHand
  redact: Redact
  addAct: AddAct
}

interface SubmitDeps extends WritesDeps {
  /** The process that works on the run; null if any process may. */
  owner: string | null
  /** Gives the run to the process or queue that works on it, in the same transaction. */
  enqueue: (query: Query, runId: string) => Promise<void>
}

/** Adds a run within a transaction, like `submit` of the journal. */
export async function submitRun(query: Query, run: NewRun, deps: SubmitDeps): Promise<Submission> {
  const { groups = [], dedupeKey, occurrence, record } = run
  const slot = occurrence && `occurrence ${JSON.stringify([record.pipeline, occurrence.trigger, occurrence.key])}`
  await lockAll(query, [
    ...groups.map(({ name }) => groupLock(name)),
    ...(dedupeKey === undefined ? [] : [`dedupe ${dedupeKey}`]),
    ...(slot === undefined ? [] : [slot]),
  ])
  const { redact, addAct } = deps
  const dialect = {
    redact,
    addAct,
    put: postgresOccurrenceDialect(redact).put,
    insert: (one: NewRun) => insert(one, deps),
  }
  const submitted = await doWork(query, submitWork(run, dialect))
  if (submitted.state === 'running') await deps.enqueue(query, submitted.runId)
  return submitted
}

/** The name that is locked while runs of a group are submitted or admitted. */
export function groupLock(name: string): string {
  return `group ${name}`
}

function* insert(run: NewRun, deps: SubmitDeps): Work<void> {
  const { text: document, ...rest } = run.record
  const digest = hash('sha256', document, 'base64url')
  // The text is in `documents`.
  const values = [...runValues(run, deps), digest, sealedRecord(rest as RunRecord, run.sealing)]
  // Another process may remove the document before the run locks it, so this is a loop.
  while ((yield* send(INSERT, values)).changes === 0) yield* send(ADD_DOCUMENT, [digest, document])
}

/** Submissions of one document do not wait for each other. */
const ADD_DOCUMENT = 'INSERT INTO audience.documents (digest, text) VALUES ($1, $2) ON CONFLICT DO NOTHING'

/** Locks the document until the transaction ends. Adds nothing if the document does not exist. */
const INSERT = `
  WITH kept AS (SELECT digest FROM audience.documents WHERE digest = $16 FOR KEY SHARE),
    run AS (
      INSERT INTO audience.runs (${runColumns('executor')}, document, updated_seq)
      SELECT $1, $2, $3, $4, $5, $6::bigint, $7::bigint, $8, $9, $10, $11, $12, $13, $14, $15, digest, 0 FROM kept)
  INSERT INTO audience.records (run_id, seq, at, data) SELECT $1, 0, $6, $17 FROM kept`
