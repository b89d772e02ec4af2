import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { SteadyClock } from '../../../src/core/clock.ts'
import type { RunEvent } from '../../../src/core/run-event.ts'
import { createEngine } from '../../../src/engine/embedded/create-engine.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { createAddAct } from '../../../src/state/sql/audit.ts'
import { readsOf } from '../../../src/state/sql/stores.ts'
import { createCommitQueue } from '../../../src/state/sqlite/commit-queue.ts'
import { openState } from '../../../src/state/sqlite/open-state.ts'
import { createOwner } from '../../../src/state/sqlite/owners.ts'
import { sqliteReads } from '../../../src/state/sqlite/run-reads.ts'
import { createSqliteJournal, type SyncReads } from '../../../src/state/sqlite/sqlite-journal.ts'
import { createSqliteSql } from '../../../src/state/sqlite/sqlite-sql.ts'
import { around } from '../../support/around.ts'
import { pipeline, readTestPipeline, step, testStepTypes } from '../../support/pipelines.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** An engine on a database that the test can disturb. The step `big` has a large output. */
function troubled(clock: SteadyClock = systemClock) {
  const folder = tempFolder()
  const db = openState(folder)
  const owner = createOwner(db, around)
  const here = { profile: 'local' }
  const queue = createCommitQueue(db)
  const sql = createSqliteSql(db, queue)
  const journal = createSqliteJournal({
    db,
    sql,
    queue,
    owner,
    redact: (text) => text,
    here,
    reads: readsOf<SyncReads>(sqliteReads(db, owner.living, here), sql.now),
    addAct: createAddAct({ now: Date.now, redact: (text) => text }),
    close: () => db.close(),
  })
  const done: string[] = []
  /** The data that a step stores besides its records. */
  const store = { memory: async () => undefined as unknown }
  const engine = createEngine({
    journal,
    clock,
    random: () => 0.5,
    stepTypes: testStepTypes,
    runStep: async (_name, { stepId, once }) => {
      await once('answer', async () => {
        done.push(stepId)
        return stepId === 'big' ? 'x'.repeat(2_000_000) : stepId
      })
      await store.memory()
      return {}
    },
    readPipeline: readTestPipeline,
    env: {},
  })
  const submit = (runId = 'r') =>
    engine.submit({
      runId,
      pipeline: pipeline([step('small'), step('big', { needs: ['small'] })]),
      inputs: {},
      trigger: {},
      folder: '/',
    })
  const events = () => Array.fromAsync<RunEvent>(engine.events('r'))
  return { folder, db, queue, journal, engine, submit, events, done, store }
}

test('a full disk stops the run and fails no step; with room again it goes on where it was', async () => {
  const { db, journal, engine, submit, events, done } = troubled()
  const { page_count: pages } = db.prepare('PRAGMA page_count').get() as { page_count: number }
  db.exec(`PRAGMA max_page_count = ${pages + 20}`)
  await submit()
  await expect(events()).rejects.toMatchObject({ code: 'state-not-written', message: expect.stringContaining('full') })
  expect(journal.find('r')).toMatchObject({ status: 'running' })
  expect(journal.records('r').some(({ record }) => record.type === 'step.finished' && record.status === 'failed')).toBe(
    false,
  )

  db.exec('PRAGMA max_page_count = 1000000')
  await engine.resume('r')
  expect((await events()).at(-1)).toMatchObject({ event: 'run.finished', status: 'succeeded' })
  expect(done).toEqual(['small', 'big', 'big'])
  await engine.stop(1000)
  journal.close()
})

test('what a step remembers and a full disk refuses fails no step; the run goes on by itself once there is room', async () => {
  const { db, queue, journal, engine, submit, done, store } = troubled(fastClock)
  db.exec('CREATE TABLE memory (data TEXT)')
  store.memory = () => queue.commit(() => db.prepare('INSERT INTO memory VALUES (?)').run('x'.repeat(500_000)))
  const { page_count: pages } = db.prepare('PRAGMA page_count').get() as { page_count: number }
  // The records still fit into the database.
  db.exec(`PRAGMA max_page_count = ${pages + 20}`)
  engine.start()
  await submit()
  await expect.poll(() => engine.stuck()).toEqual(['r'])
  expect(journal.records('r').map(({ record }) => record.type)).not.toContain('step.finished')

  db.exec('PRAGMA max_page_count = 1000000')
  await expect.poll(() => journal.find('r')?.status).toBe('succeeded')
  expect(done).toEqual(['small', 'big'])
  await engine.stop(1000)
  journal.close()
})

test('a state that another process keeps locked stops the run with a clear error', async () => {
  const { folder, journal, engine, submit } = troubled()
  const other = new DatabaseSync(join(folder, 'runs.db'))
  other.exec('BEGIN IMMEDIATE')
  await expect(submit()).rejects.toMatchObject({
    code: 'state-not-written',
    message: expect.stringContaining('locked'),
  })
  other.exec('ROLLBACK')
  other.close()
  await expect(submit()).resolves.toMatchObject({ runId: 'r', existing: false })
  await engine.stop(1000)
  journal.close()
})

/** Time passes twenty times faster. */
const fastClock: SteadyClock = {
  now: Date.now,
  steady: () => Math.round(performance.now() * 20),
  sleep: (ms, signal) => systemClock.sleep(ms / 20, signal),
  timer: (ms, ring) => systemClock.timer(ms / 20, ring),
}

test('runs that a full disk has stopped are counted and named, and end by themselves once there is room', async () => {
  const { db, journal, engine, submit } = troubled(fastClock)
  engine.start()
  const runIds = Array.from({ length: 8 }, (_, index) => `r${index}`)
  await Promise.all(runIds.map(submit))
  const { page_count: pages } = db.prepare('PRAGMA page_count').get() as { page_count: number }
  // Less space than one large output needs.
  db.exec(`PRAGMA max_page_count = ${pages + 400}`)
  const statuses = () => runIds.map((runId) => journal.find(runId)?.status)
  await expect.poll(() => engine.stuck().toSorted()).toEqual(runIds)
  expect(engine.load()).toEqual({ runs: 8, waits: 0 })
  expect(statuses()).toEqual(runIds.map(() => 'running'))

  db.exec('PRAGMA max_page_count = 1000000')
  await expect.poll(statuses).toEqual(runIds.map(() => 'succeeded'))
  expect(engine.stuck()).toEqual([])
  expect(engine.load()).toEqual({ runs: 0, waits: 0 })
  await engine.stop(1000)
  journal.close()
})
