import type { Submission } from '../../src/core/engine.ts'
import { stringifyJson } from '../../src/core/json.ts'
import type { RunRecord } from '../../src/core/run.ts'
import type { NewRun } from '../../src/state/journal.ts'
import { keepDocument } from '../../src/state/postgres/documents.ts'
import type { PostgresState } from '../../src/state/postgres/open-postgres-state.ts'
import { sentMessage } from '../../src/state/rows/sent-message.ts'
import { labelOfTrigger } from '../../src/state/trigger-label.ts'
import type { RunWriter } from '../contract/run-writer.ts'

/** Writes runs to a database without an engine, for what reads them. */
export function seedRuns({ db, occurrences, audit, redact, close }: PostgresState): RunWriter {
  const insertRecord = (runId: string, seq: number, at: number, record: RunRecord) =>
    db.query('INSERT INTO audience.records VALUES ($1, $2, $3, $4)', [runId, seq, at, redact(stringifyJson(record))])
  const setStatus = (runId: string, status: string, at: number) =>
    db.query('UPDATE audience.runs SET status = $2, began_at = coalesce(began_at, $3) WHERE run_id = $1', [
      ...[runId, status, at],
    ])

  async function submitted({
    runId,
    at,
    record,
    dedupeKey,
    occurrence,
    groups = [],
    hold,
  }: NewRun): Promise<Submission> {
    const slot = occurrence && { pipeline: record.pipeline, trigger: occurrence.trigger, key: occurrence.key }
    const noted = slot && (await occurrences.find(slot))
    if (noted && noted.state !== 'due') return { runId: noted.runId ?? '', existing: true, state: 'existing' }
    const same = await db.row('SELECT run_id FROM audience.runs WHERE dedupe_key = $1', [dedupeKey ?? null])
    if (same) return { runId: String(same.run_id), existing: true, state: 'existing' }
    const full = await db.row('SELECT run_id FROM audience.run_groups WHERE name = ANY($1)', [
      groups.map(({ name }) => name),
    ])
    if (full) return { runId: String(full.run_id), existing: true, state: 'skipped' }
    const { text, ...rest } = record
    const status = hold ? 'queued' : 'running'
    await db.transaction(async (query) =>
      query(
        `INSERT INTO audience.runs (run_id, pipeline, profile, status, submitted_at, began_at, dedupe_key, document,
          trigger_kind, trigger_id, trigger_label, seeded_from, started_by, updated_seq)
        VALUES ($1, $2, 'local', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 0)`,
        [
          ...[runId, record.pipeline, status, at, hold ? null : at, dedupeKey ?? null],
          ...[await keepDocument(query, redact(text)), String(record.trigger.kind)],
          record.trigger.id === undefined ? null : String(record.trigger.id),
          ...[labelOfTrigger(record.trigger), record.seed?.runId ?? null, record.startedBy ?? null],
        ],
      ),
    )
    await insertRecord(runId, 0, at, rest as RunRecord)
    for (const { name } of groups) await db.query('INSERT INTO audience.run_groups VALUES ($1, $2, 1)', [name, runId])
    if (occurrence) {
      const { trigger, ...own } = occurrence
      const kept = { ...(noted?.detail && { detail: noted.detail }), ...(noted?.open && { open: true as const }) }
      await occurrences.note(
        { pipeline: record.pipeline, trigger },
        { occurrences: [{ ...kept, ...own, state: 'ran', runId }] },
      )
    }
    return { runId, existing: false, state: status }
  }

  return {
    async submit(run) {
      const result = await submitted(run)
      const act = run.record.seed ? 'run.retry' : 'run.start'
      const outcome = result.existing ? result.state : 'done'
      if (run.startedBy) await audit.add({ ...run.startedBy, act, subject: result.runId, outcome })
      return result
    },
    async admit({ at }) {
      const rows = await db.rows(`SELECT run_id FROM audience.runs WHERE status = 'queued'`)
      const ids = rows.map((row) => String(row.run_id))
      for (const runId of ids) {
        await insertRecord(runId, 1, at, { type: 'run.admitted' })
        await setStatus(runId, 'running', at)
      }
      return ids
    },
    async append(runId, records) {
      for (const { seq, at, record } of records) {
        await insertRecord(runId, seq, at, record)
        if (record.type === 'step.waiting') await setStatus(runId, 'waiting', at)
        if (record.type === 'decision.made') await setStatus(runId, 'running', at)
        if (record.type === 'decision.made')
          await db.query(
            `UPDATE audience.run_guards SET verdict = $3 WHERE run_id = $1 AND step = $2 AND verdict = 'held'`,
            [runId, record.step, record.decision],
          )
        if (record.type === 'guard.measured')
          await db.query('INSERT INTO audience.run_guards VALUES ($1, $2, $3, $4, $5, $6, $7)', [
            ...[runId, record.step, record.index ?? -1, record.of, record.item ?? null, record.value, record.verdict],
          ])
        if (record.type === 'step.finished' && record.index === undefined)
          for (const [name, value] of Object.entries(record.outputs ?? {}))
            if (typeof value === 'number' || typeof value === 'bigint')
              await db.query('INSERT INTO audience.run_figures VALUES ($1, $2, $3, $4)', [
                ...[runId, record.step, name, Number(value)],
              ])
        if (record.type === 'run.finished')
          await db.query(
            `UPDATE audience.runs SET status = $2, finished_at = $3, error_step = $4, error_message = $5,
              failures = $6, failures_of = $7 WHERE run_id = $1`,
            [
              ...[runId, record.status, at, record.error?.step ?? null],
              record.error ? redact(record.error.message) : null,
              ...[record.failures ?? 0, record.failuresOf ?? 0],
            ],
          )
      }
    },
    messages: async () =>
      (await db.rows('SELECT * FROM audience.messages ORDER BY id')).map((row) => ({
        id: Number(row.id),
        runId: String(row.run_id),
        message: sentMessage(row),
      })),
    acknowledge: async (id) => void (await db.query('DELETE FROM audience.messages WHERE id = $1', [id])),
    close,
  }
}
