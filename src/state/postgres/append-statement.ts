import { sealedRecord } from '../../core/create-sealing.ts'
import type { Redact } from '../../core/secrets.ts'
import { effectsOf, type RecordEffects } from '../record-effects.ts'
import type { NewRecord } from '../run-store.ts'
import { assignments, type EffectTable, insertion, RUN_CHANGES } from '../sql/effect-rows.ts'

/** What a process adds to one of its runs. */
export interface RunAppend {
  readonly runId: string
  /** How many times the run had been taken up when this process took it up. This number is the fence. */
  readonly epoch: number
  readonly records: readonly NewRecord[]
}

/** The rows of one part of the statement. */
type Rows = readonly Readonly<Record<string, unknown>>[]

/**
 * Makes one statement that adds records to each run whose epoch is still the given one. The statement returns the ids
 * of these runs in rows of `run_id`. With `isRepeated`, records that already exist stay unchanged.
 */
export function appendStatement(
  appends: readonly RunAppend[],
  { redact, isRepeated }: { redact: Redact; isRepeated: boolean },
): { readonly text: string; readonly values: readonly unknown[] } {
  const effects = appends.map(({ runId: run_id, records }) => ({ run_id, own: effectsOf(records, redact) }))
  const each = (rowsOf: (own: RecordEffects) => readonly object[]): Rows =>
    effects.flatMap(({ run_id, own }) => rowsOf(own).map((row) => ({ run_id, ...row })))
  const rows: Readonly<Record<Part, Rows>> = {
    mine: appends.map(({ runId: run_id, epoch }) => ({ run_id, epoch })),
    added: appends.flatMap(({ runId: run_id, records }) =>
      records.map(({ seq, at, record, sealing }) => ({ run_id, seq, at, data: sealedRecord(record, sealing) })),
    ),
    changed: each(({ run }) => (run ? [run] : [])),
    measured: each(({ figures }) => (figures.size > 0 ? [{ by_step: byStep(figures) }] : [])),
    guarded: each(({ guards }) => guards.map((guard) => ({ ...guard, item: storable(guard.item) }))),
    blocking: each(({ blocked }) => blocked),
    unblocking: each(({ unblocked }) => unblocked.map((step) => ({ step }))),
    asking: each(({ partnerWaits }) => partnerWaits),
    answering: each(({ partnersAnswered }) => partnersAnswered.map((step) => ({ step }))),
    decided: each(({ decided }) => decided),
  }
  const values: unknown[] = []
  const parts: string[] = []
  for (const part of Object.keys(PARTS) as Part[])
    if (rows[part].length > 0) parts.push(`${part} AS (${PARTS[part](tableOf(rows[part], values), isRepeated)})`)
  return { text: `WITH ${parts.join(', ')} SELECT run_id FROM mine`, values }
}

/** The numbers in the outputs of each step, by the names of step and output, as the text of a JSON object. */
function byStep(figures: RecordEffects['figures']): string {
  return JSON.stringify(Object.fromEntries([...figures].map(([step, numbers]) => [step, Object.fromEntries(numbers)])))
}

/** The name of an item is stored as it is, but text in PostgreSQL cannot contain this character. */
function storable(item: string | null): string | null {
  return item?.replaceAll('\0', '\uFFFD') ?? null
}

/**
 * The parts of the statement, in order. Each gets its rows as a table with the name `new`. A part without rows is left
 * out.
 */
const PARTS = {
  mine: (rows) => `
    SELECT runs.run_id FROM audience.runs JOIN ${rows} ON runs.run_id = new.run_id AND runs.epoch = new.epoch
    ORDER BY runs.run_id FOR NO KEY UPDATE OF runs`,
  added: (rows, isRepeated) => `
    INSERT INTO audience.records (run_id, seq, at, data)
    SELECT run_id, seq, at, data FROM ${rows} JOIN mine USING (run_id)
    ${isRepeated ? 'ON CONFLICT (run_id, seq) DO NOTHING' : ''}`,
  changed: (rows) => `
    UPDATE audience.runs SET ${assignments(RUN_CHANGES, (column) => `new.${column}`)},
      executor = CASE WHEN new.finished_at IS NULL THEN runs.executor END
    FROM ${rows} JOIN mine USING (run_id) WHERE runs.run_id = new.run_id`,
  measured: (rows) => `
    INSERT INTO audience.figures AS known (run_id, by_step) SELECT run_id, by_step FROM ${rows} JOIN mine USING (run_id)
    ON CONFLICT (run_id) DO UPDATE SET by_step = known.by_step || excluded.by_step`,
  guarded: (rows) => insertionOf('run_guards', rows),
  blocking: (rows) => insertionOf('blocked', rows),
  unblocking: (rows) => `
    DELETE FROM audience.blocked USING ${rows} JOIN mine USING (run_id)
    WHERE blocked.run_id = new.run_id AND blocked.step = new.step`,
  asking: (rows) => insertionOf('partner_waits', rows),
  answering: (rows) => `
    DELETE FROM audience.partner_waits USING ${rows} JOIN mine USING (run_id)
    WHERE partner_waits.run_id = new.run_id AND partner_waits.step = new.step`,
  decided: (rows) => `
    UPDATE audience.run_guards AS held SET verdict = new.verdict FROM ${rows} JOIN mine USING (run_id)
    WHERE held.run_id = new.run_id AND held.step = new.step AND held.place = new.place AND held.verdict = 'held'`,
} satisfies Readonly<Record<string, (rows: string, isRepeated: boolean) => string>>

type Part = keyof typeof PARTS

function insertionOf(table: EffectTable, rows: string): string {
  return insertion(table, (columns) => `SELECT ${columns.join(', ')} FROM ${rows} JOIN mine USING (run_id)`)
}

/** The types of the columns other than text. */
const TYPES: Readonly<Record<string, string>> = {
  epoch: 'bigint',
  seq: 'integer',
  at: 'bigint',
  began_at: 'bigint',
  finished_at: 'bigint',
  failures: 'integer',
  failures_of: 'integer',
  place: 'integer',
  since: 'bigint',
  value: 'double precision',
  by_step: 'jsonb',
}

/**
 * Adds rows to the values of the statement, and returns the table of these rows. Rows are passed as one array per
 * column, so there are few parameters and only one plan.
 */
function tableOf(rows: Rows, values: unknown[]): string {
  const columns = Object.keys(rows[0] ?? {})
  const arrays = columns.map((column) => {
    values.push(rows.map((row) => row[column]))
    return `$${values.length}::${TYPES[column] ?? 'text'}[]`
  })
  return `unnest(${arrays.join(', ')}) AS new (${columns.join(', ')})`
}
