import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { openReadableState, openSource } from '../../../src/state/sqlite/open-readable-state.ts'
import { aroundAt } from '../../support/around.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const NOW = Date.UTC(2026, 10, 21, 12)

function written(folder = tempFolder()) {
  return { folder, ...openEmbeddedState({ folder, redact: (text) => text, ...aroundAt(() => NOW) }) }
}

function readable(folder: string) {
  const state = openReadableState(
    folder,
    aroundAt(() => NOW),
  )
  onTestFinished(() => state.close())
  return state
}

test('where there is no state, none is made, and it reads as an empty one', async () => {
  const folder = join(tempFolder(), 'none')
  expect(await readable(folder).runs.page({ limit: 9 })).toEqual({ rows: [] })
  expect(existsSync(folder)).toBe(false)
})

test('it is read while another process writes it, and nobody becomes an owner', async () => {
  const { folder, journal: writer, occurrences: triggers } = written()
  onTestFinished(() => writer.close())
  await triggers.pause({ pipeline: 'p', trigger: 't' }, NOW)
  const { occurrences: seen, runs, outbox } = readable(folder)
  expect(await seen.memories()).toEqual([{ pipeline: 'p', trigger: 't', pausedAt: NOW }])
  expect(await runs.counts()).toEqual({ queued: 0, running: 0, waiting: 0 })
  expect(await outbox.counts()).toEqual({ pending: 0, failed: 0 })
  const db = new DatabaseSync(join(folder, 'runs.db'), { readOnly: true })
  expect(db.prepare('SELECT count(*) AS owners FROM owners').get()).toEqual({ owners: 0 })
  db.close()
})

test('a state that nobody has open is read too, and left as it is', async () => {
  const { folder, journal } = written()
  journal.close()
  await readable(folder).close()
  expect(readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name))).toEqual(['runs.db'])
})

test.each([
  [1, 'an older', ''],
  [99, 'a newer', ''],
  // That version may have tables of other names.
  [99, 'a newer', 'ALTER TABLE owners RENAME TO keepers;'],
])('a state of version %i is said to be of %s version, and nothing is changed: %s', (version, words, change) => {
  const { folder, journal } = written()
  journal.close()
  const db = new DatabaseSync(join(folder, 'runs.db'))
  db.exec(`${change}PRAGMA user_version = ${version}`)
  expect(() =>
    openReadableState(
      folder,
      aroundAt(() => NOW),
    ),
  ).toThrow(words)
  expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: version })
  db.close()
})

test('occurrences are counted by trigger: what is due or open always, the rest since a time', async () => {
  const { folder, journal: writer, occurrences: triggers } = written()
  onTestFinished(() => writer.close())
  const drop = { pipeline: 'p', trigger: 'drop' }
  await triggers.note(drop, {
    occurrences: [
      { key: 'old', at: NOW - 2, state: 'failed', open: true },
      { key: 'a', at: NOW, state: 'failed', reason: 'no rows' },
      { key: 'b', at: NOW, state: 'ran', runId: 'r1' },
      { key: 'c', at: NOW + 1, state: 'ran', runId: 'r2' },
      { key: 'd', at: NOW - 2, state: 'due' },
    ],
  })
  expect(await readable(folder).occurrences.summary(NOW)).toEqual([
    { ...drop, due: 1, open: 1, caughtUp: 0, recent: { ran: 2, skipped: 0, missed: 0, failed: 1 }, runs: { ran: 2 } },
  ])
})

test('the database of a folder is read as it is at this moment, and a folder without one says so', async () => {
  const folder = tempFolder()
  expect(() => openSource(folder)).toThrow(expect.objectContaining({ code: 'no-state' }))
  const state = written(folder)
  const source = openSource(folder)
  const followed = () => source.db.prepare('SELECT upstream FROM follows').all()
  expect(followed()).toEqual([])
  await state.ends.follow({ pipeline: 'p', trigger: 't' }, ['a'])
  expect(followed()).toEqual([])
  source.db.close()
  await state.close()
})
