import { sealedRecord } from '../../core/create-sealing.ts'
import type { Redact } from '../../core/secrets.ts'
import { effectsOf } from '../record-effects.ts'
import type { NewRecord } from '../run-store.ts'

/** What a process adds to one of its runs. */
export interface RunAppend {
  readonly runId: string
  /** How many times the run had been taken up when this process took it up. This number is the fence. */
  readonly epoch: number
  readonly records: readonly NewRecord[]
}

/**
 * Makes one statement that adds records to each run whose epoch is still the given one. The statement returns the ids
 * of these runs in rows of `run_id`. With `isRepeated`, records that already exist stay unchanged.
 */
export function appendStatement(
  appends: readonly RunAppend[],
  { redact, isRepeated }: { readonly redact: Redact; readonly isRepeated: boolean },
): { readonly text: string; readonly values: readonly unknown[] } {
  const statement = new Statement()
  const known = isRepeated ? 'ON CONFLICT (run_id, seq) DO NOTHING' : ''
  statement.add(
    'mine',
    appends.map(({ runId: run_id, epoch }) => ({ run_id, epoch })),
    (rows) => `
    SELECT runs.run_id FROM audience.runs JOIN ${rows} ON runs.run_id = new.run_id AND runs.epoch = new.epoch
    ORDER BY runs.run_id FOR NO KEY UPDATE OF runs`,
  )
  const data = appends.flatMap(({ runId: run_id, records }) =>
    records.map(({ seq, at, record, sealing }) => ({ run_id, seq, at, data: sealedRecord(record, sealing) })),
  )
  statement.add(
    'added',
    data,
    (rows) => `
    INSERT INTO audience.records (run_id, seq, at, data)
    SELECT run_id, seq, at, data FROM ${rows} JOIN mine USING (run_id) ${known}`,
  )

  const effects = appends.map(({ runId: run_id, records }) => ({ run_id, ...effectsOf(records, redact) }))
  const changes = effects.flatMap(({ run_id, run }) => (run ? [{ run_id, ...run }] : []))
  statement.add(
    'changed',
    changes,
    (rows) => `
    UPDATE audience.runs SET status = coalesce(new.status, runs.status), began_at = coalesce(runs.began_at, new.began_at),
      finished_at = new.finished_at, failures = new.failures, failures_of = new.failures_of,
      error_step = new.error_step, error_message = new.error_message, error_key = new.error_key,
      executor = CASE WHEN new.finished_at IS NULL THEN runs.executor END
    FROM ${rows} JOIN mine USING (run_id) WHERE runs.run_id = new.run_id`,
  )
  const figures = effects.flatMap(({ run_id, figures }) => {
    if (figures.size === 0) return []
    const bySteps = [...figures].map(([step, numbers]) => [step, Object.fromEntries(numbers)])
    return [{ run_id, by_step: JSON.stringify(Object.fromEntries(bySteps)) }]
  })
  statement.add(
    'measured',
    figures,
    (rows) => `
    INSERT INTO audience.figures AS known (run_id, by_step) SELECT run_id, by_step FROM ${rows} JOIN mine USING (run_id)
    ON CONFLICT (run_id) DO UPDATE SET by_step = known.by_step || excluded.by_step`,
  )
  // The name of an item is stored as it is, but a text in PostgreSQL cannot hold this character.
  const item = (name: string | null) => name?.replaceAll('\0', '\uFFFD') ?? null
  const guards = effects.flatMap(({ run_id, guards }) =>
    guards.map((guard) => ({ run_id, ...guard, item: item(guard.item) })),
  )
  statement.add(
    'guarded',
    guards,
    (rows) => `
    INSERT INTO audience.run_guards (run_id, step, place, of, item, value, verdict)
    SELECT run_id, step, place, of, item, value, verdict FROM ${rows} JOIN mine USING (run_id)
    ON CONFLICT (run_id, step, place) DO UPDATE SET
      of = excluded.of, item = excluded.item, value = excluded.value, verdict = excluded.verdict`,
  )
  const blocked = effects.flatMap(({ run_id, blocked }) => blocked.map((entry) => ({ run_id, ...entry })))
  statement.add(
    'blocking',
    blocked,
    (rows) => `
    INSERT INTO audience.blocked (run_id, step, thing, by_run, by_key)
    SELECT run_id, step, thing, by_run, by_key FROM ${rows} JOIN mine USING (run_id)
    ON CONFLICT (run_id, step) DO UPDATE SET
      thing = excluded.thing, by_run = excluded.by_run, by_key = excluded.by_key`,
  )
  const unblocked = effects.flatMap(({ run_id, unblocked }) => unblocked.map((step) => ({ run_id, step })))
  statement.add(
    'unblocking',
    unblocked,
    (rows) => `
    DELETE FROM audience.blocked USING ${rows} JOIN mine USING (run_id)
    WHERE blocked.run_id = new.run_id AND blocked.step = new.step`,
  )
  const partnerWaits = effects.flatMap(({ run_id, partnerWaits }) => partnerWaits.map((wait) => ({ run_id, ...wait })))
  statement.add(
    'asking',
    partnerWaits,
    (rows) => `
    INSERT INTO audience.partner_waits (run_id, step, counterpart, since)
    SELECT run_id, step, counterpart, since FROM ${rows} JOIN mine USING (run_id) ON CONFLICT DO NOTHING`,
  )
  const partnersAnswered = effects.flatMap(({ run_id, partnersAnswered }) =>
    partnersAnswered.map((step) => ({ run_id, step })),
  )
  statement.add(
    'answering',
    partnersAnswered,
    (rows) => `
    DELETE FROM audience.partner_waits USING ${rows} JOIN mine USING (run_id)
    WHERE partner_waits.run_id = new.run_id AND partner_waits.step = new.step`,
  )
  const decided = effects.flatMap(({ run_id, decided }) => decided.map((decision) => ({ run_id, ...decision })))
  statement.add(
    'decided',
    decided,
    (rows) => `
    UPDATE audience.run_guards AS held SET verdict = new.verdict FROM ${rows} JOIN mine USING (run_id)
    WHERE held.run_id = new.run_id AND held.step = new.step AND held.place = new.place AND held.verdict = 'held'`,
  )
  return { text: `${statement.text} SELECT run_id FROM mine`, values: statement.values }
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
 * A statement of several parts, each with its own rows. Rows are passed as one array per column, so there are few
 * parameters and only one plan.
 */
class Statement {
  readonly values: unknown[] = []
  readonly #parts: string[] = []

  /** Adds a part, unless there are no rows. `sql` gets the rows as a table with the name `new`. */
  add(name: string, rows: readonly Readonly<Record<string, unknown>>[], sql: (rows: string) => string): void {
    const [first] = rows
    if (!first) return
    const columns = Object.keys(first)
    const arrays = columns.map((column) => {
      this.values.push(rows.map((row) => row[column]))
      return `$${this.values.length}::${TYPES[column] ?? 'text'}[]`
    })
    this.#parts.push(`${name} AS (${sql(`unnest(${arrays.join(', ')}) AS new (${columns.join(', ')})`)})`)
  }

  get text(): string {
    return `WITH ${this.#parts.join(', ')}`
  }
}
