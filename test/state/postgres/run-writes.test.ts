import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { systemClock } from '../../../src/platform/clock.ts'
import { openPostgresState } from '../../../src/state/postgres/open-postgres-state.ts'
import { createRunWrites } from '../../../src/state/postgres/run-writes.ts'
import { createWorkerRows } from '../../../src/state/postgres/worker-rows.ts'
import { createAddAct } from '../../../src/state/sql/audit.ts'
import { around } from '../../support/around.ts'
import { describeWithPostgres, newDatabase } from '../../support/postgres.ts'
import { sql } from '../../support/sql.ts'

/** The writes of a process on a database that answers when the test says so, with a clock that the test advances. */
function held() {
  let steady = 0
  const rows: PromiseWithResolvers<readonly Record<string, unknown>[]>[] = []
  const ask = () => {
    rows.push(Promise.withResolvers())
    return rows.at(-1)?.promise ?? Promise.resolve([])
  }
  const unused = () => Promise.reject(new Error('not used'))
  const renewals: PromiseWithResolvers<void>[] = []
  const deps: Parameters<typeof createRunWrites>[0] = {
    db: { rows: ask, row: async () => (await ask())[0], query: unused, transaction: unused },
    reads: { lastSuccess: unused, guardValues: unused },
    clock: { ...systemClock, now: () => steady, steady: () => steady, sleep: unused },
    executor: 'me',
    shares: true,
    signal: new AbortController().signal,
    enqueue: unused,
    renew: () => {
      renewals.push(Promise.withResolvers())
      return renewals.at(-1)?.promise ?? Promise.resolve()
    },
    here: { profile: 'local' },
    redact: (text) => text,
    addAct: createAddAct({ now: () => 0, redact: (text) => text }),
  }
  return {
    deps,
    writes: createRunWrites(deps),
    renewals,
    /** The next answer of the database, after a time. */
    async answer(row: Record<string, unknown> | undefined, afterMs = 0) {
      await turn()
      steady += afterMs
      rows.shift()?.resolve(row ? [row] : [])
      await turn()
    },
    pass: (ms: number) => {
      steady += ms
    },
  }
}

/** The same, after it has resumed the run. */
async function taken() {
  const world = held()
  const taking = world.writes.takeUp('r')
  await world.answer({ is_alive: true, run_id: 'r', epoch: 1 })
  expect(await taking).toBe('first')
  return world
}

test('an answer about who owns a run holds for the rest of the lease, counted from before the question', async () => {
  const { writes, answer, pass } = await taken()
  const asked = writes.owns('r')
  // The database may have answered immediately, and the network may have caused the delay.
  await answer({ left_ms: 3000 }, 2000)
  const holds = await asked
  if (typeof holds !== 'function') throw new Error('it is not owned')
  expect(holds()).toBe(true)
  pass(699)
  expect(holds()).toBe(true)
  pass(1)
  expect(holds()).toBe(false)
})

test('an answer that arrives after the lease renews it and asks once more', async () => {
  const { writes, answer, renewals } = await taken()
  const asked = writes.owns('r')
  await answer({ left_ms: 3000 }, 2700)
  expect(renewals).toHaveLength(1)
  renewals[0]?.resolve()
  await answer({ left_ms: 3000 })
  expect(await asked).toBeTypeOf('function')
})

test('a run that another process took is not owned, nor one that was never taken up or is dropped', async () => {
  const { writes, answer } = await taken()
  expect(await writes.owns('other')).toBe(false)
  const asked = writes.owns('r')
  await answer(undefined)
  expect(await asked).toBe(false)
  writes.drop('r')
  expect(await writes.owns('r')).toBe(false)
})

test('a process without a lease takes nothing up before it has renewed it', async () => {
  const { writes, answer, renewals } = held()
  const taking = writes.takeUp('r')
  await answer({ is_alive: false, run_id: null, epoch: null })
  expect(renewals).toHaveLength(1)
  renewals[0]?.resolve()
  await answer({ is_alive: true, run_id: 'r', epoch: 2 })
  expect(await taking).toBe('again')
  const ended = writes.takeUp('ended')
  await answer({ is_alive: true, run_id: null, epoch: null })
  expect(await ended).toBe('ended')
})

describeWithPostgres('a run that a process adopts', () => {
  test('is one that no living process has', async () => {
    const url = await newDatabase()
    const state = await openPostgresState({ url, redact: (text) => text, ...around })
    const workers = createWorkerRows(state.db, 300_000)
    await workers.register({ executor: 'other', host: 'h', pid: 1, version: '', protocol: 1, queue: 'runs-1' })
    await sql(
      url,
      `INSERT INTO audience.documents (digest, text) VALUES ('d', '{}')`,
      `INSERT INTO audience.runs (run_id, pipeline, profile, status, submitted_at, executor, trigger_kind, trigger_label,
         document, updated_seq) VALUES ('r', 'p', 'local', 'running', 0, 'other', 'manual', '', 'd', 0)`,
    )
    const writes = createRunWrites({ ...held().deps, db: state.db })
    expect(await writes.adopt('r')).toBe(false)
    await workers.expire('other')
    expect(await writes.adopt('r')).toBe(true)
    await sql(url, 'UPDATE audience.runs SET finished_at = 1')
    expect(await writes.adopt('r')).toBe(false)
    await state.close()
  })
})

describeWithPostgres('runs that are admitted', () => {
  test('are enqueued in the same transaction, in their order: if one cannot be, all of them stay queued', async () => {
    const url = await newDatabase()
    const state = await openPostgresState({ url, redact: (text) => text, ...around })
    await sql(
      url,
      `INSERT INTO audience.documents (digest, text) VALUES ('d', '{}')`,
      ...['a', 'b'].map(
        (id, at) => `INSERT INTO audience.runs (run_id, pipeline, profile, status, submitted_at, executor, trigger_kind,
          trigger_label, document, updated_seq) VALUES ('${id}', 'p', 'local', 'queued', ${at}, 'me', 'manual', '', 'd', 0)`,
      ),
      `INSERT INTO audience.records (run_id, seq, at, data) SELECT run_id, 0, 0, '{}' FROM audience.runs`,
    )
    const queued = async () => {
      const rows = await state.db.rows(`SELECT run_id FROM audience.runs WHERE status = 'queued' ORDER BY run_id`, [])
      return rows.map(({ run_id }) => run_id)
    }
    const enqueued: [string, unknown][] = []
    const writesThat = (fail: (runId: string) => void) =>
      createRunWrites({
        ...{ ...held().deps, db: state.db },
        async enqueue(query, runId) {
          const { rows } = await query('SELECT status FROM audience.runs WHERE run_id = $1', [runId])
          await turn()
          fail(runId)
          enqueued.push([runId, rows[0]?.status])
        },
      })
    const admission = { at: 9, room: () => 9, orphans: false }
    const failing = writesThat((runId) => {
      if (runId === 'b') throw new Error('no queue')
    })
    await expect(failing.admit(admission)).rejects.toThrow('no queue')
    expect(await queued()).toEqual(['a', 'b'])
    enqueued.length = 0
    expect(await writesThat(() => undefined).admit(admission)).toEqual(['a', 'b'])
    expect(enqueued).toEqual([
      ['a', 'running'],
      ['b', 'running'],
    ])
    expect(await queued()).toEqual([])
    await state.close()
  })
})
