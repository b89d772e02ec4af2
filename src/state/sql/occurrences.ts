import type { OccurrenceOutcome } from '../../core/format/statuses.ts'
import { isJsonObject, parseJson, stringifyJson } from '../../core/json.ts'
import { type Occurrence, type OccurrenceRef, runStatusIn, type TriggerRef } from '../../core/occurrence.ts'
import type { FinalStatus } from '../../core/run.ts'
import type { Redact } from '../../core/secrets.ts'
import type { Act } from '../audit-log.ts'
import type {
  EndedOccurrence,
  ListedOccurrence,
  OccurrenceStore,
  RunOutcomes,
  TriggerChange,
  TriggerMemory,
  TriggerSummary,
} from '../occurrence-store.ts'
import type { AddAct } from './audit.ts'
import { addOccurrenceFilter, Conditions, OWN_SLOT_KEY } from './filters.ts'
import { numberColumn, textColumn, triggerOf } from './run-row.ts'
import { changesOf, type Row, rowOf, rowsOf, type Sql, send, type Work } from './work.ts'

/** The SQL that differs between stores. */
export interface OccurrenceDialect {
  /**
   * Adds or replaces occurrences with different keys. An existing occurrence in a state other than `due` stays
   * unchanged; `known` as in `TriggerChange`. Returns the keys of the occurrences that were added or replaced.
   */
  readonly put: (occurrences: readonly Occurrence[], known?: TriggerChange['known']) => Work<readonly string[]>
  /** The table of occurrences with the name `o`, for queries by time. */
  readonly sinceTime: string
  /** Counts, by trigger, slots before `$1` whose run was made at or after `$1`. */
  readonly caughtUp: string
}

/** The occurrence store. When a run is submitted, its occurrence is recorded in the same transaction. */
export function createOccurrenceStore(
  sql: Sql,
  { addAct, put, sinceTime, caughtUp }: OccurrenceDialect & { addAct: AddAct },
): OccurrenceStore {
  /** Changes a trigger. If a person made the change, `actOf` returns the entry for the audit log. */
  const change = <T>(
    { pipeline, trigger }: TriggerRef,
    work: () => Work<T>,
    actOf: (result: T) => Omit<Act, 'subject' | 'outcome'> | undefined,
  ) =>
    sql.transaction(function* () {
      const result = yield* work()
      const act = actOf(result)
      if (act) yield* addAct({ ...act, subject: `${pipeline}/${trigger}`, outcome: 'done' })
      return result
    })

  return {
    async memory({ pipeline, trigger }) {
      const query = 'SELECT * FROM audience.triggers WHERE pipeline = $1 AND name = $2'
      const row = await sql.read(rowOf(query, [pipeline, trigger]))
      return row && memoryOf(row)
    },
    memories: async () =>
      (await sql.read(rowsOf('SELECT * FROM audience.triggers ORDER BY pipeline, name'))).map(memoryOf),
    note(ref, { occurrences = [], known, cursor, times, act }) {
      const { pipeline, trigger } = ref
      const noted = occurrences.map((occurrence) => ({ ...occurrence, pipeline, trigger }))
      const work = function* () {
        const keys = yield* put(noted, known)
        if (cursor !== undefined) yield* send(FORWARD, [pipeline, trigger, cursor, times])
        return keys
      }
      return change(ref, work, ({ length }) => act?.(length))
    },
    rewind: ({ pipeline, trigger }, { from, to }) =>
      sql.transaction(function* () {
        if ((yield* changesOf(BACK, [pipeline, trigger, from, to])) === 0) return undefined
        return yield* changesOf(UNDECIDE, [pipeline, trigger, to, OWN_SLOT_KEY])
      }),
    async pause(ref, at, actor) {
      const work = () => send(PAUSE, [ref.pipeline, ref.trigger, at])
      await change(ref, work, () => actor && { ...actor, act: 'schedule.pause' })
    },
    async unpause(ref, actor) {
      const work = () => send(UNPAUSE, [ref.pipeline, ref.trigger])
      await change(ref, work, () => actor && { ...actor, act: 'schedule.resume' })
    },
    find: (ref) => sql.read(findOccurrence(ref)),
    async list(filter) {
      const conditions = new Conditions()
      addOccurrenceFilter(conditions, filter)
      const most = conditions.value(filter.limit)
      const query = `${LISTED} ${conditions.where} ORDER BY at DESC, id DESC LIMIT ${most}`
      return (await sql.read(rowsOf(query, conditions.values))).map(listedOf)
    },
    due: async ({ pipeline, trigger }, limit) =>
      (await sql.read(rowsOf(DUE, [pipeline, trigger, limit]))).map(occurrenceOf),
    triggersDue: async () =>
      (
        await sql.read(rowsOf(`SELECT DISTINCT pipeline, trigger_name FROM audience.occurrences WHERE state = 'due'`))
      ).map(triggerOf),
    ended: async ({ pipeline, trigger }, limit) =>
      (await sql.read(rowsOf(ENDED, [pipeline, trigger, limit]))).map(endedOf),
    summary: async (since) =>
      summaryOf({
        due: await sql.read(rowsOf(`${COUNTED} FROM audience.occurrences WHERE state = 'due' ${BY_TRIGGER}`)),
        open: await sql.read(rowsOf(`${COUNTED} FROM audience.occurrences WHERE open = true ${BY_TRIGGER}`)),
        recent: await sql.read(rowsOf(recentIn(sinceTime), [since])),
        caughtUp: await sql.read(rowsOf(caughtUp, [since])),
      }),
    forget: ({ before, limit }) =>
      sql.transaction(function* () {
        const forgotten = yield* changesOf(FORGET, [before, limit])
        yield* send(FORGET_ENDS, [before])
        return forgotten
      }),
    async close({ pipeline, trigger, key }, detail) {
      await sql.write(() => send(CLOSE, [pipeline, trigger, key, stringifyJson(detail)]))
    },
  }
}

export function* findOccurrence({ pipeline, trigger, key }: OccurrenceRef): Work<Occurrence | undefined> {
  const row = yield* rowOf(FIND, [pipeline, trigger, key])
  return row && occurrenceOf(row)
}

/** The values of `OCCURRENCE_COLUMNS`. */
export function occurrenceValues(
  { pipeline, trigger, key, at, state, reason, runId, detail, open }: Occurrence,
  redact: Redact,
): readonly (string | number | boolean | null)[] {
  return [
    ...[pipeline, trigger, key, at, state, reason === undefined ? null : redact(reason), runId ?? null],
    ...[detail === undefined ? null : stringifyJson(detail), open ?? false],
  ]
}

const OCCURRENCE_COLUMNS = 'pipeline, trigger_name, key, at, state, reason, run_id, detail, open'

/**
 * The condition that no backfill of the slot of `o` has run or is due. A backfill has the time of its slot, but its own
 * key.
 */
const NO_BACKFILL = `NOT EXISTS (SELECT 1 FROM audience.occurrences AS same
  WHERE same.pipeline = o.pipeline AND same.trigger_name = o.trigger_name AND same.at = o.at
    AND same.key <> o.key AND same.state IN ('ran', 'due'))`
const REPLACE = `ON CONFLICT (pipeline, trigger_name, key) DO UPDATE SET
    at = excluded.at, state = excluded.state, reason = excluded.reason, run_id = excluded.run_id,
    detail = excluded.detail, open = excluded.open`
/** What happens if the occurrence `o` already exists. An occurrence that is accounted for stays unchanged. */
const ON_CONFLICT = {
  due: `${REPLACE} WHERE o.state = 'due'`,
  missed: `${REPLACE} WHERE o.state = 'missed' AND ${NO_BACKFILL}`,
  keep: 'ON CONFLICT (pipeline, trigger_name, key) DO NOTHING',
} as const

/** The statement that `put` sends. `rows` selects the values of `OCCURRENCE_COLUMNS`. */
export function* putRows(
  rows: string,
  values: readonly unknown[],
  known: TriggerChange['known'] | 'due' = 'due',
): Work<readonly string[]> {
  const text = `INSERT INTO audience.occurrences AS o (${OCCURRENCE_COLUMNS}) ${rows} ${ON_CONFLICT[known]} RETURNING key`
  return (yield* rowsOf(text, values)).map(({ key }) => String(key))
}

const COUNTED = 'SELECT pipeline, trigger_name, count(*) AS rows'
const BY_TRIGGER = 'GROUP BY pipeline, trigger_name'
/** The status of the run of an occurrence; null if it is not in the history. */
const STANDING = `CASE WHEN runs.failures > 0 THEN 'partial' ELSE runs.status END AS standing`
const LISTED = `SELECT o.*, ${STANDING} FROM audience.occurrences AS o LEFT JOIN audience.runs USING (run_id)`

/** Counts occurrences since `$1`, by trigger, state and status of the run. */
function recentIn(occurrences: string): string {
  return `SELECT o.pipeline, o.trigger_name, o.state, ${STANDING}, count(*) AS rows
    FROM ${occurrences} LEFT JOIN audience.runs USING (run_id)
    WHERE o.at >= $1 AND o.state <> 'due' GROUP BY o.pipeline, o.trigger_name, o.state, standing`
}

const FIND = 'SELECT * FROM audience.occurrences WHERE pipeline = $1 AND trigger_name = $2 AND key = $3'
/** Moves the cursor forward, never back. */
const FORWARD = `INSERT INTO audience.triggers AS known (pipeline, name, cursor, times) VALUES ($1, $2, $3, $4)
  ON CONFLICT (pipeline, name) DO UPDATE SET times = coalesce(excluded.times, known.times),
    cursor = CASE WHEN known.cursor > excluded.cursor THEN known.cursor ELSE excluded.cursor END`
const BACK = 'UPDATE audience.triggers SET cursor = $4 WHERE pipeline = $1 AND name = $2 AND cursor = $3'
const UNDECIDE = `DELETE FROM audience.occurrences AS o
  WHERE pipeline = $1 AND trigger_name = $2 AND at > $3 AND key LIKE $4
    AND state <> 'ran' AND coalesce(reason, '') <> 'withdrawn' AND ${NO_BACKFILL}`
const PAUSE = `INSERT INTO audience.triggers AS known (pipeline, name, paused_at) VALUES ($1, $2, $3)
  ON CONFLICT (pipeline, name) DO UPDATE SET paused_at = coalesce(known.paused_at, excluded.paused_at)`
const UNPAUSE = 'UPDATE audience.triggers SET paused_at = NULL WHERE pipeline = $1 AND name = $2'
const DUE = `SELECT * FROM audience.occurrences WHERE pipeline = $1 AND trigger_name = $2 AND state = 'due'
  ORDER BY at, id LIMIT $3 + 0`
const ENDED = `SELECT o.*, runs.status AS ended_as FROM audience.occurrences AS o LEFT JOIN audience.runs USING (run_id)
  WHERE o.pipeline = $1 AND trigger_name = $2 AND open = true AND state <> 'due'
    AND (runs.run_id IS NULL OR runs.finished_at IS NOT NULL)
  ORDER BY at, id LIMIT $3 + 0`
const FORGET = `DELETE FROM audience.occurrences WHERE id IN (
  SELECT id FROM audience.occurrences AS o WHERE at < $1 AND open = false AND state <> 'due'
    AND NOT EXISTS (SELECT 1 FROM audience.runs WHERE runs.run_id = o.run_id)
  ORDER BY at LIMIT $2)`
/** Forgets ends that are no longer needed: ends of removed sets, and of triggers that are gone. */
const FORGET_ENDS = `DELETE FROM audience.ends WHERE at < $1 AND NOT EXISTS (SELECT 1 FROM audience.occurrences AS o
  WHERE o.pipeline = ends.pipeline AND o.trigger_name = ends.trigger_name AND o.key = ends.key)`
const CLOSE = `UPDATE audience.occurrences SET open = false, detail = $4
  WHERE pipeline = $1 AND trigger_name = $2 AND key = $3`

/** A row of the table `occurrences`. */
export function occurrenceOf(row: Row): Occurrence {
  const detail = typeof row.detail === 'string' ? parseJson(row.detail) : undefined
  return {
    ...triggerOf(row),
    key: String(row.key),
    at: Number(row.at),
    // Only the store writes this column.
    state: String(row.state) as Occurrence['state'],
    reason: textColumn(row.reason),
    runId: textColumn(row.run_id),
    detail: isJsonObject(detail) ? detail : undefined,
    open: Boolean(row.open) || undefined,
  }
}

function listedOf(row: Row): ListedOccurrence {
  const occurrence = occurrenceOf(row)
  return { ...occurrence, outcome: outcomeOf(occurrence, textColumn(row.standing)) }
}

function outcomeOf(occurrence: Occurrence, standing: string | undefined): OccurrenceOutcome {
  if (occurrence.state !== 'ran') return occurrence.state
  // Only the writer of runs writes their status.
  return (standing as OccurrenceOutcome | undefined) ?? runStatusIn(occurrence) ?? 'ran'
}

/** A row of the table `triggers`. */
function memoryOf(row: Row): TriggerMemory {
  return {
    pipeline: String(row.pipeline),
    trigger: String(row.name),
    cursor: numberColumn(row.cursor),
    times: textColumn(row.times),
    pausedAt: numberColumn(row.paused_at),
  }
}

/** An occurrence and the status of its run, from a row with the column `ended_as`. */
function endedOf(row: Row): EndedOccurrence {
  // An ended run has one of these statuses. The status of a removed run is unknown.
  return { occurrence: occurrenceOf(row), status: textColumn(row.ended_as) as FinalStatus | undefined }
}

const NOTHING = { ran: 0, skipped: 0, missed: 0, failed: 0 }

/**
 * Combines counts by trigger. In each row, `rows` is a count for one trigger. Rows of `recent` also have a state and a
 * standing.
 */
function summaryOf(counts: Readonly<Record<'due' | 'open' | 'recent' | 'caughtUp', readonly Row[]>>): TriggerSummary[] {
  const triggers = new Map<string, TriggerSummary>()
  const add = (row: Row, change: (known: TriggerSummary) => Partial<TriggerSummary>) => {
    const ref = triggerOf(row)
    const key = `${ref.pipeline}/${ref.trigger}`
    const known = triggers.get(key) ?? { ...ref, due: 0, open: 0, caughtUp: 0, recent: NOTHING, runs: {} }
    triggers.set(key, { ...known, ...change(known) })
  }
  for (const row of counts.due) add(row, () => ({ due: Number(row.rows) }))
  for (const row of counts.open) add(row, () => ({ open: Number(row.rows) }))
  // Sorted, so that both stores give the same order.
  for (const row of counts.recent.toSorted((a, b) => (String(a.standing) < String(b.standing) ? -1 : 1))) {
    add(row, ({ recent, runs }) => {
      // Only the store writes this column.
      const state = String(row.state) as keyof TriggerSummary['recent']
      const standing = (textColumn(row.standing) ?? 'ran') as keyof RunOutcomes
      const rows = Number(row.rows)
      return {
        recent: { ...recent, [state]: recent[state] + rows },
        runs: state === 'ran' ? { ...runs, [standing]: rows } : runs,
      }
    })
  }
  for (const row of counts.caughtUp) add(row, () => ({ caughtUp: Number(row.rows) }))
  return [...triggers].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, trigger]) => trigger)
}
