import type { Submission } from '../../core/engine.ts'
import { stringifyJson } from '../../core/json.ts'
import type { Occurrence } from '../../core/occurrence.ts'
import type { RunGroup, RunRecord } from '../../core/run.ts'
import { type AskedOccurrence, askedOccurrence } from '../asked-occurrence.ts'
import { decideAdmission, type FullGroup } from '../decide-admission.ts'
import type { NewRun } from '../journal.ts'
import { occurrenceOf } from '../sql/occurrence-row.ts'
import { labelOfTrigger } from '../trigger-label.ts'
import type { Query } from './database.ts'
import { addDocument, digestOf } from './documents.ts'
import { putOccurrences } from './occurrence-rows.ts'
import { groupLock, lockAll } from './run-locks.ts'
import { addMessage } from './send-message.ts'
import type { WritesDeps } from './writes-deps.ts'

interface SubmitDeps extends WritesDeps {
  /** The process that works on the run; if it is null, every process may. */
  readonly owner: string | null
  /** Gives the run to whoever works on it, in the same transaction. */
  readonly enqueue: (query: Query, runId: string) => Promise<void>
}

/** Adds a run within a transaction, as `submit` of the journal does. */
export async function submitRun(query: Query, run: NewRun, deps: SubmitDeps): Promise<Submission> {
  const { groups = [], dedupeKey, occurrence, startedBy, record } = run
  const slot = occurrence && `occurrence ${JSON.stringify([record.pipeline, occurrence.trigger, occurrence.key])}`
  await lockAll(query, [
    ...groups.map(({ name }) => groupLock(name)),
    ...(dedupeKey === undefined ? [] : [`dedupe ${dedupeKey}`]),
    ...(slot === undefined ? [] : [slot]),
  ])
  const submitted = await decided(query, run, deps)
  if (startedBy) {
    const outcome = submitted.existing ? submitted.state : 'done'
    const act = record.seed ? 'run.retry' : 'run.start'
    await deps.addAct(query, { ...startedBy, act, subject: submitted.runId, outcome })
  }
  return submitted
}

async function decided(query: Query, run: NewRun, deps: SubmitDeps): Promise<Submission> {
  const { runId, dedupeKey, record, groups = [], occurrence, hold } = run
  const asked = occurrence && { pipeline: record.pipeline, ...occurrence }
  const known = asked && (await findOccurrence(query, asked))
  if (known && known.state !== 'due') return { runId: known.runId ?? '', existing: true, state: 'existing' }
  const existing = await byDedupeKey(query, dedupeKey)
  if (existing !== undefined) return { runId: existing, existing: true, state: 'existing' }
  const decision = decideAdmission(await fullGroups(query, groups), hold)
  if (decision.submission) {
    if (asked) await put(query, { ...askedOccurrence(asked, known), ...decision.occurrence }, deps)
    return decision.submission
  }
  const { cancels, queued } = decision
  for (const other of cancels)
    await addMessage(query, { runId: other, message: { kind: 'cancel' }, redact: deps.redact })
  await insert(query, queued ? { ...run, record: { ...record, queued } } : run, deps)
  if (groups.length > 0)
    await query(
      `INSERT INTO audience.run_groups (name, run_id, max)
       SELECT name, $1, max FROM unnest($2::text[], $3::integer[]) AS joined (name, max)`,
      [runId, groups.map(({ name }) => name), groups.map(({ limit }) => limit)],
    )
  if (asked) await put(query, { ...askedOccurrence(asked, known), state: 'ran', runId }, deps)
  if (!queued) await deps.enqueue(query, runId)
  return { runId, existing: false, state: queued ? 'queued' : 'running' }
}

async function byDedupeKey(query: Query, key: string | undefined): Promise<string | undefined> {
  if (key === undefined) return undefined
  const { rows } = await query('SELECT run_id FROM audience.runs WHERE dedupe_key = $1', [key])
  return rows[0] === undefined ? undefined : String(rows[0].run_id)
}

/** The groups without room for one more run, with the runs that would have to end first, oldest first. */
async function fullGroups(query: Query, groups: readonly RunGroup[]): Promise<readonly FullGroup[]> {
  if (groups.length === 0) return []
  const { rows } = await query(
    // Ids of runs begin with their creation time.
    'SELECT name, array_agg(run_id ORDER BY run_id) AS runs FROM audience.run_groups WHERE name = ANY($1) GROUP BY name',
    [groups.map(({ name }) => name)],
  )
  return groups.flatMap((group) => {
    const runs = (rows.find(({ name }) => name === group.name)?.runs as readonly string[]) ?? []
    const excess = runs.length - group.limit + 1
    return excess > 0 ? [{ group, inTheWay: runs.slice(0, excess) }] : []
  })
}

async function insert(
  query: Query,
  { runId, at, dedupeKey, record }: NewRun,
  { here, redact, owner }: SubmitDeps,
): Promise<void> {
  const { text, ...rest } = record
  const { pipeline, trigger, seed, startedBy, queued } = record
  const document = redact(text)
  const values = [
    ...[runId, pipeline, here.profile, here.service ?? null, queued ? 'queued' : 'running', at, queued ? null : at],
    ...[owner, dedupeKey ?? null, String(trigger.kind), trigger.id === undefined ? null : String(trigger.id)],
    redact(labelOfTrigger(trigger)),
    seed?.runId ?? null,
    startedBy === undefined ? null : redact(startedBy),
    digestOf(document),
    // The text is in `documents`.
    redact(stringifyJson(rest as RunRecord)),
  ]
  // The document may be removed again before it is kept: hence the loop.
  while ((await query(INSERT, values)).changes === 0) await addDocument(query, document)
}

/** Keeps the document from being removed until the transaction ends. Adds nothing if it is not there. */
const INSERT = `
  WITH kept AS (SELECT digest FROM audience.documents WHERE digest = $15 FOR KEY SHARE),
    run AS (
      INSERT INTO audience.runs (run_id, pipeline, profile, service, status, submitted_at, began_at, executor, dedupe_key,
        trigger_kind, trigger_id, trigger_label, seeded_from, started_by, document, updated_seq)
      SELECT $1, $2, $3, $4, $5, $6::bigint, $7::bigint, $8, $9, $10, $11, $12, $13, $14, digest, 0 FROM kept)
  INSERT INTO audience.records (run_id, seq, at, data) SELECT $1, 0, $6, $16 FROM kept`

async function findOccurrence(
  query: Query,
  { pipeline, trigger, key }: AskedOccurrence,
): Promise<Occurrence | undefined> {
  const { rows } = await query(
    'SELECT * FROM audience.occurrences WHERE pipeline = $1 AND trigger_name = $2 AND key = $3',
    [pipeline, trigger, key],
  )
  return rows[0] && occurrenceOf(rows[0])
}

function put(query: Query, occurrence: Occurrence, { redact }: SubmitDeps): Promise<void> {
  return putOccurrences(query, [occurrence], redact)
}
