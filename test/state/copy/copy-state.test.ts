import { expect, test } from 'vitest'
import type { RunRecord, StoredRecord } from '../../../src/core/run.ts'
import { COPIED_TABLES, columnsOf, RECORDS } from '../../../src/state/copy/copied-tables.ts'
import { copyState } from '../../../src/state/copy/copy-state.ts'
import { checkDatabase } from '../../../src/state/postgres/check-database.ts'
import { connect } from '../../../src/state/postgres/connect.ts'
import { openPostgresState } from '../../../src/state/postgres/open-postgres-state.ts'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import type { State } from '../../../src/state/state.ts'
import { around } from '../../support/around.ts'
import { describeWithPostgres, newDatabase } from '../../support/postgres.ts'
import { sql } from '../../support/sql.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const NIGHT = { pipeline: 'nightly', trigger: 'night' }
const KEY = { profile: 'local', pipeline: 'nightly', step: 'segment' }
const HERE = { profile: 'local', service: 's' }
const unchanged = (text: string) => text

describeWithPostgres('a copy of an embedded state', () => {
  test('reads as the original does, packed or not', async () => {
    const folder = tempFolder()
    const from = await written(folder)
    const to = await newDatabase()
    const progress: string[] = []
    const copied = await copyState({ from: folder, to, onProgress: ({ table }) => progress.push(table) })
    expect(Object.fromEntries(copied.map(({ table, rows }) => [table, rows]))).toMatchObject({
      ...{ runs: 3, documents: 2, records: 12, occurrences: 3, triggers: 1, step_memory: 1, made: 2, notifications: 2 },
    })
    expect(progress).toContain('records')
    const target = await openPostgresState({ url: to, redact: unchanged, ...around, here: HERE })
    expect(await everything(target)).toEqual(await everything(from))
    expect((await target.runs.changedSince(0, 9)).rows).toEqual((await from.runs.changedSince(0, 9)).rows)
    // Later rows get their own numbers.
    await target.occurrences.note(NIGHT, { occurrences: [{ key: 'later', at: 99, state: 'missed' }] })
    await target.audit.add({ act: 'run.start', subject: 'x', outcome: 'done' })
    expect((await target.outbox.events(9)).map(({ kind }) => kind)).toEqual(['ended', 'occurrence'])
    expect(await checkDatabase(to)).toMatchObject({ ok: true, runs: 3, records: 12 })
    await target.close()
    from.journal.close()
  })

  test('that is interrupted is not there at all, and can be begun again', async () => {
    const folder = tempFolder()
    const from = await written(folder)
    const to = await newDatabase()
    const interrupting = new AbortController()
    const onProgress = ({ table }: { table: string }) => table === 'records' && interrupting.abort(new Error('Ctrl-C'))
    const copied = copyState({ from: folder, to, onProgress, signal: interrupting.signal })
    await expect(copied).rejects.toThrow('Ctrl-C')
    expect(await checkDatabase(to)).toMatchObject({ runs: 0, records: 0 })
    await copyState({ from: folder, to })
    expect(await checkDatabase(to)).toMatchObject({ ok: true, runs: 3, records: 12 })
    from.journal.close()
  })

  test('that the database refuses at its end is not there at all, and is told', async () => {
    const folder = tempFolder()
    const from = await written(folder)
    const to = await newDatabase()
    await sql(
      to,
      `CREATE FUNCTION audience.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this one'; END $$`,
    )
    await sql(
      to,
      `CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON audience.runs DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION audience.refuse()`,
    )
    await expect(copyState({ from: folder, to })).rejects.toThrow('not this one')
    expect(await checkDatabase(to)).toMatchObject({ runs: 0, records: 0 })
    from.journal.close()
  })

  test('has every column of every table that says something about ended runs', async () => {
    const client = await connect(await newDatabase())
    const { rows } = await client.query<{ name: string }>(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns WHERE table_schema = 'audience'`,
    )
    await client.end()
    const copied = [...COPIED_TABLES, RECORDS].flatMap((table) =>
      columnsOf(table).map(({ name }) => `${table.name}.${name}`),
    )
    const ofProcesses =
      /^(claims|workers|roles|version|messages|run_groups|run_figures|remote_looks)\.|^runs\.(executor|epoch)$/
    const expected = rows.map(({ name }) => name).filter((name) => !ofProcesses.test(name))
    expect(copied.toSorted()).toEqual(expected.toSorted())
  })

  test('is refused if a run has not ended, if the target is not empty, and if there is no source', async () => {
    const folder = tempFolder()
    const from = await written(folder)
    const to = await newDatabase()
    await from.journal.submit({ runId: 'r-open', at: 50, record: submission('nightly') })
    await expect(copyState({ from: folder, to })).rejects.toMatchObject({
      ...{ code: 'runs-unfinished', message: expect.stringContaining('r-open') },
    })
    await from.journal.append('r-open', [{ seq: 1, at: 51, record: { type: 'run.finished', status: 'cancelled' } }])
    await copyState({ from: folder, to })
    await expect(copyState({ from: folder, to })).rejects.toMatchObject({
      ...{ code: 'state-not-empty', message: expect.stringContaining('runs') },
    })
    from.journal.close()
    await expect(copyState({ from: tempFolder(), to })).rejects.toMatchObject({ code: 'no-state' })
  })
})

async function written(folder: string) {
  const state = openEmbeddedState({
    folder,
    redact: unchanged,
    ...around,
    here: { profile: 'local', service: 's' },
  })
  const { journal, occurrences, memory, made, audit, outbox, runs } = state
  await outbox.begin()
  await memory.set(KEY, { id: 9007199254740993n, name: 'Straße 😀' })
  const maker = { name: 'X', about: { n: 2n ** 60n }, pipeline: 'nightly', step: 's', runId: 'a', at: 3 }
  await made.note({ ...maker, kind: 'activation', id: undefined, job: 'j', found: false })
  await made.note({ ...maker, kind: 'activation', id: '7', job: undefined, found: true })
  await audit.add({ by: 'Ana', comment: 'x', act: 'run.start', subject: 'a', outcome: 'done' })
  const slots = [
    { key: 'k1', at: 1, state: 'missed', reason: 'stopped' },
    { key: 'k2', at: 2, state: 'due', detail: { size: 2n ** 60n }, open: true },
  ] as const
  await occurrences.note(NIGHT, { occurrences: slots, cursor: 2, times: 'daily' })
  await occurrences.pause(NIGHT, 5)
  for (const [at, runId] of ['a', 'b', 'c'].entries()) {
    const record = submission(at === 2 ? 'other' : 'nightly', { seed: { runId: 'x', kept: [] }, startedBy: 'Ana' })
    const occurrence = { trigger: 'night', key: `slot-${runId}`, at }
    await journal.submit({ runId, at, record, dedupeKey: runId, ...(at === 1 && { occurrence }) })
    await journal.append(runId, recordsOf(at))
  }
  // Two of them are packed into the state of the third.
  await runs.pack(60_000)
  await journal.append('c', [{ seq: 3, at: 40, record: { type: 'run.finished', status: 'failed', error: ERROR } }])
  const [first, ...rest] = await outbox.events(9)
  const notification = { event: 'failure', at: 1, pipeline: 'p', title: 't', next: [] } as const
  await outbox.commitBatch({
    events: [first, ...rest.slice(1)].map((event) => event?.id ?? -1),
    notifications: ['sent', 'waits'].map((key) => ({ channel: 'ops', notification: { ...notification, key } })),
    checkpoints: new Map([['late', 7]]),
    at: 0,
  })
  const [sent] = await outbox.due('ops', 0, 1)
  await outbox.delivered([sent?.id ?? -1], 5)
  return state
}

const ERROR = { code: 'x', kind: 'failed', message: 'the job was rejected', step: 'match' } as const

function recordsOf(at: number): StoredRecord[] {
  const outputs = { matchCount: 866 + at, big: 9223372036854775807n, rate: 0.1, list: [null, 'ü\u0000'] }
  const records: RunRecord[] = [
    { type: 'guard.measured', step: 'match', of: 'people', value: 866 + at, verdict: 'good' },
    { type: 'step.finished', step: 'match', status: 'succeeded', outputs },
    ...(at < 2 ? [{ type: 'run.finished', status: 'succeeded', outputs, failures: at, failuresOf: 2 } as const] : []),
  ]
  return records.map((record, index) => ({ seq: index + 1, at: at + 10, record }))
}

function submission(pipeline: string, own: Partial<Extract<RunRecord, { type: 'run.submitted' }>> = {}) {
  const submitted = { type: 'run.submitted', file: 'f', folder: '/', digest: 'd' } as const
  return { ...submitted, pipeline, text: `name: ${pipeline}`, inputs: {}, trigger: { kind: 'manual' }, ...own }
}

async function everything({ runs, occurrences, memory, made, outbox, audit }: State) {
  const ids = (await runs.page({ limit: 99 })).rows.map(({ runId }) => runId)
  return {
    rows: await runs.page({ limit: 99 }),
    records: await Promise.all(ids.map((runId) => runs.records(runId))),
    hours: await runs.countsByHour({ from: 0, to: 1e9 }),
    figures: await runs.figures({ pipeline: 'nightly', limit: 9 }),
    guards: await runs.guardValues({ pipeline: 'nightly', step: 'match', goodOf: 'people', limit: 9 }),
    last: await runs.lastSuccess('nightly'),
    memories: await occurrences.memories(),
    occurrences: await occurrences.list({ limit: 99 }),
    memory: await memory.get(KEY),
    made: await made.named('activation', 'X'),
    pending: await outbox.due('ops', 1e15, 9),
    counts: await outbox.counts(),
    events: (await outbox.events(9)).map((event) => ({ ...event, id: 0 })),
    late: await outbox.checkpoint('late'),
    audit: await audit.list({ limit: 99 }),
  }
}
