import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import type { RunRecord } from '../../src/core/run.ts'
import { openPostgresState } from '../../src/state/postgres/open-postgres-state.ts'
import type { RunHistory } from '../../src/state/run-history.ts'
import type { NewRecord } from '../../src/state/run-store.ts'
import { openEmbeddedState } from '../../src/state/sqlite/open-embedded-state.ts'
import type { RunWriter } from '../contract/run-writer.ts'
import { around } from '../support/around.ts'
import { describeWithPostgres, newDatabase } from '../support/postgres.ts'
import { seedRuns } from '../support/seed-runs.ts'
import { sql } from '../support/sql.ts'
import { tempFolder } from '../support/temp-folder.ts'

const redact = (text: string) => text.replaceAll('s3cret', '***')
const s = { step: 's' }
const error = { code: 'c', kind: 'failed', message: 'no s3cret', step: 's' } as const
const approval = { type: 'step.waiting', step: 's', reason: 'approval', error } as const
const measured = { type: 'guard.measured', of: 'rows', value: 1.5, verdict: 'held', outputs: {} } as const
const asked = { type: 'job.status', jobId: '7', waitedMs: 0, status: 'PENDING_APPROVAL' } as const
const submitted = {
  type: 'run.submitted',
  ...{ pipeline: 'p', file: 'p.yaml', folder: '/', text: '', digest: '', inputs: {}, trigger: {} },
} as const

/** Records of every type that an engine appends, in an order in which a run can have them. */
const APPENDED: Readonly<Record<Exclude<RunRecord['type'], 'run.submitted' | 'run.finished'>, readonly Appended[]>> = {
  'run.admitted': [{ type: 'run.admitted' }],
  'last.noted': [{ type: 'last.noted' }],
  'variables.set': [{ type: 'variables.set', variables: {} }],
  'step.expanded': [{ type: 'step.expanded', ...s, items: [1, 2] }],
  'step.started': [{ type: 'step.started', ...s, attempt: 1 }],
  'effect.done': [{ type: 'effect.done', ...s, attempt: 1, name: 'made', value: 1 }],
  'step.blocked': [
    { type: 'step.blocked', ...s, thing: 'a s3cret', by: { runId: 'r', step: 't' } },
    { type: 'step.blocked', ...s, thing: 'another', by: { runId: 'r', step: 'u' } },
    { type: 'step.blocked', step: 't', index: 1, thing: 'a third', by: { runId: 'r', step: 'v' } },
  ],
  'step.unblocked': [{ type: 'step.unblocked', ...s, unblocked: 's' }],
  'attempt.failed': [{ type: 'attempt.failed', ...s, attempt: 1, error, retryAt: 9 }],
  'job.status': [
    { ...asked, ...s, counterpart: 'partner s3cret' },
    { ...asked, ...s, counterpart: 'partner 2' },
    { ...asked, step: 't' },
    { type: 'job.status', ...s, jobId: '7', waitedMs: 1, status: 'COMPLETED', partnerAnswered: 's' },
  ],
  'guard.measured': [
    { ...measured, ...s },
    { ...measured, ...s, index: 0, item: 'a\0b' },
    { ...measured, ...s, index: 0, item: 'c', value: 2 },
  ],
  'step.waiting': [approval],
  'decision.made': [
    { type: 'decision.made', ...s, decision: 'approved' },
    { type: 'decision.made', ...s, index: 0, decision: 'rejected', answered: true },
  ],
  'cancel.requested': [{ type: 'cancel.requested', by: 'ana' }],
  'step.finished': [
    { type: 'step.finished', ...s, status: 'succeeded', outputs: { rows: 3, share: 0.5, name: 'x' } },
    { type: 'step.finished', step: 't', index: 1, status: 'skipped' },
  ],
}

type Appended = RunRecord & Pick<NewRecord, 'answered' | 'unblocked' | 'partnerAnswered'>

const FINISHED: readonly RunRecord[] = [
  { type: 'run.finished', status: 'succeeded', failures: 1, failuresOf: 3 },
  { type: 'run.finished', status: 'failed', error },
  { type: 'run.finished', status: 'cancelled' },
]

interface Store {
  readonly writer: RunWriter
  readonly runs: RunHistory
  rows(query: string): unknown
  change(statement: string): unknown
}

function embedded(): Store {
  const folder = tempFolder()
  const { journal, runs } = openEmbeddedState({ folder, redact, ...around })
  const db = new DatabaseSync(join(folder, 'runs.db'))
  onTestFinished(() => {
    db.close()
    journal.close()
  })
  return { writer: journal, runs, rows: (query) => db.prepare(query).all(), change: (statement) => db.exec(statement) }
}

async function database(): Promise<Store> {
  const url = await newDatabase()
  const state = await openPostgresState({ url, redact, ...around })
  const writer = seedRuns(state)
  onTestFinished(() => writer.close())
  const inSchema = (text: string) => text.replace(/(FROM|UPDATE) /, '$1 audience.')
  return {
    ...{ writer, runs: state.runs },
    rows: (query) => state.db.rows(inSchema(query)),
    change: (statement) => sql(url, inSchema(statement)),
  }
}

/** Everything about a run that records change. Numbers that a driver returns as text are the same numbers. */
async function written({ runs, rows }: Store, runId: string): Promise<unknown> {
  const tables = [
    `SELECT status, began_at, finished_at, failures, failures_of, error_step, error_message, error_key FROM runs
      WHERE run_id = '${runId}'`,
    `SELECT step, place, of, item, value, verdict FROM run_guards WHERE run_id = '${runId}' ORDER BY step, place`,
    `SELECT step, thing, by_run, by_key FROM blocked WHERE run_id = '${runId}' ORDER BY step`,
    `SELECT step, counterpart, since, told_at FROM partner_waits WHERE run_id = '${runId}' ORDER BY step`,
  ]
  return [
    ...(await Promise.all(tables.map(rows))),
    (await runs.figures({ pipeline: 'p', limit: 9 })).filter((figure) => figure.runId === runId),
    await runs.records(runId),
  ].map((part) =>
    JSON.stringify(part)
      .replaceAll(/:"(\d+)"/g, ':$1')
      .replaceAll('\\u0000', '\uFFFD'),
  )
}

describeWithPostgres('the same journal in both stores', () => {
  test('has the same effects, record by record and all at once', async () => {
    const stores = [embedded(), await database()]
    const records = Object.values(APPENDED).flat()
    const alike = async (runId: string) => {
      const [one, other] = await Promise.all(stores.map((store) => written(store, runId)))
      expect(other).toEqual(one)
    }
    for (const [index, finished] of FINISHED.entries()) {
      const all = [...records, finished].map(
        ({ answered, unblocked, partnerAnswered, ...record }: Appended, at): NewRecord => ({
          ...{ seq: at + 1, at: at + 10, record: record as RunRecord, answered, unblocked, partnerAnswered },
        }),
      )
      for (const { writer } of stores)
        for (const runId of [`one-${index}`, `all-${index}`]) await writer.submit({ runId, at: 1, record: submitted })
      for (const record of all) {
        for (const { writer } of stores) await writer.append(`one-${index}`, [record])
        await alike(`one-${index}`)
      }
      for (const { writer } of stores) await writer.append(`all-${index}`, all)
      await alike(`all-${index}`)
    }
  })

  test('an admission has the effects of its records: a run that has begun before keeps when it began', async () => {
    for (const store of [embedded(), await database()]) {
      const { writer, runs } = store
      for (const runId of ['a', 'b', 'c']) await writer.submit({ runId, at: 1, record: submitted, hold: true })
      await store.change(`UPDATE runs SET began_at = 3 WHERE run_id = 'b'`)
      await runs.send('c', { kind: 'cancel', by: 'ana' })
      expect(await writer.admit({ at: 9, room: () => 9, orphans: false })).toEqual(['a', 'b', 'c'])
      const rows = await Promise.all(['a', 'b', 'c'].map((runId) => runs.find(runId)))
      expect(rows.map((row) => [row?.status, row?.beganAt])).toEqual([
        ['running', 9],
        ['running', 3],
        ['running', 9],
      ])
      expect((await runs.records('c', 0)).map(({ seq, at, record }) => [seq, at, record])).toEqual([
        [1, 9, { type: 'run.admitted' }],
        [2, 9, { type: 'cancel.requested', by: 'ana' }],
      ])
    }
  })
})
