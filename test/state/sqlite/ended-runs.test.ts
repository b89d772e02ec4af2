import { expect, onTestFinished, test } from 'vitest'
import { createCommitQueue } from '../../../src/state/sqlite/commit-queue.ts'
import { createSqliteRunRemoval } from '../../../src/state/sqlite/ended-runs.ts'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { openState } from '../../../src/state/sqlite/open-state.ts'
import { around } from '../../support/around.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const RUNS = ['a', 'b', 'c', 'd', 'e']

/** A state with five ended runs. Each read of its clock advances it by 10 ms. */
async function openEnded() {
  let steadyMs = 0
  const steady = () => {
    steadyMs += 10
    return steadyMs
  }
  const { journal, runs } = openEmbeddedState({
    folder: tempFolder(),
    redact: (text) => text,
    ...around,
    clock: { ...around.clock, steady },
  })
  onTestFinished(() => journal.close())
  for (const runId of RUNS) {
    const file = { pipeline: 'p', file: 'f', folder: '/', text: '', digest: '' }
    await journal.submit({ runId, at: 1, record: { type: 'run.submitted', ...file, inputs: {}, trigger: {} } })
    await journal.append(runId, [{ seq: 1, at: 2, record: { type: 'run.finished', status: 'failed', outputs: {} } }])
  }
  const left = () => RUNS.filter((runId) => journal.find(runId))
  const complete = () => RUNS.filter((runId) => journal.records(runId).length === 2)
  return { runs, left, complete }
}

test('the time ends a batch, and every run is either there with all its records or gone', async () => {
  const { runs, left, complete } = await openEnded()
  expect(await runs.remove(RUNS, 20)).toBe(2)
  expect(left()).toEqual(['c', 'd', 'e'])
  expect(complete()).toEqual(['c', 'd', 'e'])
})

test('however little time there is, a run is removed', async () => {
  const { runs, left } = await openEnded()
  expect(await runs.remove(RUNS, 0)).toBe(1)
  expect(left()).toEqual(['b', 'c', 'd', 'e'])
})

test('after a batch, and after one that failed, writes wait for the disk again', async () => {
  const db = openState(tempFolder())
  onTestFinished(() => db.close())
  const remove = createSqliteRunRemoval({ db, queue: createCommitQueue(db), steadyMs: () => 0 })
  const settings = () =>
    ['synchronous', 'wal_autocheckpoint'].flatMap((name) => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {}))
  const before = settings()
  await remove(RUNS, 10)
  expect(settings()).toEqual(before)
  db.exec(`CREATE TRIGGER broken BEFORE DELETE ON runs BEGIN SELECT RAISE(ABORT, 'broken'); END`)
  db.exec(`INSERT INTO runs (run_id, pipeline, status, submitted_at, finished_at) VALUES ('a', 'p', 'succeeded', 1, 2)`)
  await expect(remove(RUNS, 10)).rejects.toMatchObject({ code: 'state-not-written' })
  expect(settings()).toEqual(before)
})
