import type { RunOccurrence, Submission } from '../../core/engine.ts'
import type { Occurrence } from '../../core/occurrence.ts'
import type { RunGroup, RunTrigger } from '../../core/run.ts'
import type { Redact } from '../../core/secrets.ts'
import type { ServiceAtHand } from '../../core/service-ref.ts'
import { decideAdmission, type FullGroup } from '../decide-admission.ts'
import type { NewRun } from '../journal.ts'
import { labelOfTrigger } from '../trigger-label.ts'
import type { AddAct } from './audit.ts'
import { addMessage } from './messages.ts'
import { findOccurrence, type OccurrenceDialect } from './occurrences.ts'
import { rowOf, rowsOf, send, type Work } from './work.ts'

export interface SubmitDialect extends Pick<OccurrenceDialect, 'put'> {
  readonly redact: Redact
  readonly addAct: AddAct
  /** Adds the run with its first record. The run is queued if its record says so. */
  readonly insert: (run: NewRun) => Work<void> | readonly []
}

/**
 * Does what `submit` of the journal promises, within a transaction that has locked the run's groups, key and
 * occurrence.
 */
export function* submitWork(run: NewRun, dialect: SubmitDialect): Work<Submission> {
  const submitted = yield* decided(run, dialect)
  const { record, startedBy } = run
  if (startedBy) {
    const outcome = submitted.existing ? submitted.state : 'done'
    const act = record.seed ? 'run.retry' : 'run.start'
    yield* dialect.addAct({ ...startedBy, act, subject: submitted.runId, outcome })
  }
  return submitted
}

function* decided(run: NewRun, { insert, put, redact }: SubmitDialect): Work<Submission> {
  const { runId, dedupeKey, record, groups = [], occurrence, hold } = run
  const asked = occurrence && { pipeline: record.pipeline, ...occurrence }
  const known = asked && (yield* findOccurrence(asked))
  if (known && known.state !== 'due') return { runId: known.runId ?? '', existing: true, state: 'existing' }
  const existing = dedupeKey === undefined ? undefined : yield* rowOf(BY_DEDUPE_KEY, [dedupeKey])
  if (existing) return { runId: String(existing.run_id), existing: true, state: 'existing' }
  const decision = decideAdmission(yield* fullGroups(groups), hold)
  if (decision.submission) {
    if (asked) yield* put([{ ...barredBy(decision.submission, completed(asked, known)), ...decision.occurrence }])
    return decision.submission
  }
  const { cancels, queued } = decision
  for (const other of cancels) yield* addMessage(other, { kind: 'cancel' }, redact)
  yield* insert(queued ? { ...run, record: { ...record, queued } } : run)
  for (const { name, limit } of groups) yield* send(JOIN, [name, runId, limit])
  if (asked) yield* put([{ ...completed(asked, known), state: 'ran', runId }])
  return { runId, existing: false, state: queued ? 'queued' : 'running' }
}

const BY_DEDUPE_KEY = 'SELECT run_id FROM audience.runs WHERE dedupe_key = $1'
const JOIN = 'INSERT INTO audience.run_groups (name, run_id, max) VALUES ($1, $2, $3)'

/** The groups without room for one more run, each with the runs that must end first, oldest first. */
function* fullGroups(groups: readonly RunGroup[]): Work<readonly FullGroup[]> {
  const full: FullGroup[] = []
  for (const group of groups) {
    const inTheWay = (yield* rowsOf(IN_THE_WAY, [group.name, group.limit])).map((row) => String(row.run_id))
    if (inTheWay.length > 0) full.push({ group, inTheWay })
  }
  return full
}

/** Ids of runs begin with the time of creation, so they are in order of submission. */
const IN_THE_WAY = `SELECT run_id FROM audience.run_groups WHERE name = $1 ORDER BY run_id
  LIMIT (SELECT CASE WHEN count(*) < $2 THEN 0 ELSE count(*) - $2 + 1 END FROM audience.run_groups WHERE name = $1)`

/** A skipped slot records which run is in the way. If that run is waiting, people are told about the slot. */
function barredBy<Asked extends Omit<Occurrence, 'state'>>({ state, runId }: Submission, asked: Asked): Asked {
  return state === 'skipped' && !asked.open ? { ...asked, detail: { ...asked.detail, behind: runId } } : asked
}

/** Completes the request with what is already known about the occurrence. */
function completed(
  { pipeline, trigger, key, at, detail, open }: { pipeline: string } & RunOccurrence,
  known: Occurrence | undefined,
): Omit<Occurrence, 'state'> {
  return { pipeline, trigger, key, at, detail: detail ?? known?.detail, open: open || known?.open || undefined }
}

/**
 * The columns of a new run in the table `runs`, in the order of `runValues`. `owner` is the name of the column with the
 * process that owns the run.
 */
export function runColumns(owner: 'owner' | 'executor'): string {
  return `run_id, pipeline, profile, service, status, submitted_at, began_at, ${owner}, dedupe_key,
    trigger_kind, trigger_id, trigger_label, seeded_from, started_by, commit_id`
}

/** The values of a new run. It is queued if its record says so. */
export function runValues(
  { runId, at, dedupeKey, record }: NewRun,
  { here, owner, redact }: { here: ServiceAtHand; owner: string | null; redact: Redact },
): readonly (string | number | null)[] {
  const { pipeline, trigger, seed, startedBy, git, queued } = record
  return [
    ...[runId, pipeline, here.profile, here.service ?? null, queued ? 'queued' : 'running', at, queued ? null : at],
    ...[owner, dedupeKey ?? null, String(trigger.kind), trigger.id === undefined ? null : String(trigger.id)],
    storedLabel(trigger, redact),
    seed?.runId ?? null,
    startedBy === undefined ? null : redact(startedBy),
    git?.commit ?? null,
  ]
}

/** The label as it is stored. The id of a parent stays as it is, because its child runs are found by this id. */
function storedLabel(trigger: RunTrigger, redact: Redact): string {
  const label = labelOfTrigger(trigger)
  return trigger.kind === 'run' ? label : redact(label)
}
