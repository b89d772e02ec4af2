import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createCommitQueue } from '../../../src/state/sqlite/commit-queue.ts'
import { openState } from '../../../src/state/sqlite/open-state.ts'
import { rememberStateFiles } from '../../../src/state/sqlite/state-files.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** The queue of an open state. */
function open(commit: (exec: () => void, folder: string) => void = (exec) => exec()) {
  const folder = tempFolder()
  const db = openState(folder)
  const files = rememberStateFiles(folder)
  // What happens around the moment of the commit, as another process may do it.
  const watched = {
    exec: (text: string) => (text === 'COMMIT' ? commit(() => db.exec(text), folder) : db.exec(text)),
    location: () => db.location(),
    get isTransaction() {
      return db.isTransaction
    },
  } as DatabaseSync
  return { db, queue: createCommitQueue(watched, files) }
}

const write = (db: DatabaseSync, name: string) => () =>
  void db.prepare('INSERT INTO checkpoints (name, value) VALUES (?, 1)').run(name)
const names = (db: DatabaseSync) =>
  db
    .prepare("SELECT name FROM checkpoints WHERE value = 1 AND name <> 'runs' ORDER BY name")
    .all()
    .map(({ name }) => name)

test.each([
  ['removed', (folder: string) => rmSync(join(folder, 'runs.db'))],
  ['moved away', (folder: string) => renameSync(join(folder, 'runs.db'), join(folder, 'other.db'))],
  ['without its log', (folder: string) => rmSync(join(folder, 'runs.db-wal'))],
])('what is committed to a database that was %s meanwhile does not count as written', async (_how, harm) => {
  for (const isBefore of [true, false]) {
    const { db, queue } = open((exec, folder) => {
      if (isBefore) harm(folder)
      exec()
      if (!isBefore) harm(folder)
    })
    await expect(queue.commit(write(db, 'a'))).rejects.toMatchObject({ code: 'state-replaced' })
    // After a problem, nothing is started.
    const { transaction } = queue
    expect(() => queue.commitAlone(write(db, 'b'))).toThrow(expect.objectContaining({ code: 'state-replaced' }))
    expect(queue.transaction).toBe(transaction)
    db.close()
  }
})

test('work of one turn shares a transaction; what fails is undone, and the rest is written', async () => {
  const { db, queue } = open()
  const before = queue.transaction
  const failing = () => {
    write(db, 'half')()
    throw new Error('no')
  }
  const outcomes = await Promise.allSettled([write(db, 'a'), failing, write(db, 'b')].map(queue.commit))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(names(db)).toEqual(['a', 'b'])
  // The shared transaction, and then one for each piece.
  expect(queue.transaction).toBe(before + 2)
  expect(db.isTransaction).toBe(false)
  db.close()
})

test('a commit that fails rejects all work of its turn, and the next turn is not part of it', async () => {
  let isFull = true
  const { db, queue } = open((exec) => {
    if (isFull) throw new Error('full')
    exec()
  })
  const outcomes = await Promise.allSettled([write(db, 'a'), write(db, 'b')].map(queue.commit))
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isFull = false
  await queue.commit(write(db, 'c'))
  expect(names(db)).toEqual(['c'])
  db.close()
})

test('nothing counts as written before it is committed', async () => {
  const { db, queue } = open()
  let isTold = false
  const told = queue.commit(write(db, 'a')).then(() => {
    isTold = true
  })
  await null
  expect(isTold).toBe(false)
  queue.flush()
  await told
  expect(names(db)).toEqual(['a'])
  db.close()
})

test('a full disk is named with the state, and with what to do', async () => {
  const full = Object.assign(new Error('disk I/O error'), { errcode: 13 })
  const { db, queue } = open(() => {
    throw full
  })
  await expect(queue.commit(write(db, 'a'))).rejects.toMatchObject({
    code: 'state-not-written',
    message: `the state in ${db.location()} cannot be written: its disk is full`,
    hint: 'nothing that was recorded is lost; make room on its disk, then continue with `audience runs resume`',
  })
  db.close()
})

test('work that finds the transaction ended, as a full disk ends it, fails with all of its turn, and says why', async () => {
  const { db, queue } = open()
  const full = () => {
    db.exec('ROLLBACK')
    throw new Error('database or disk is full')
  }
  const outcomes = await Promise.allSettled([write(db, 'a'), full].map(queue.commit))
  const failure = { code: 'state-not-written', message: expect.stringContaining('database or disk is full') }
  expect(outcomes).toEqual([0, 1].map(() => ({ status: 'rejected', reason: expect.objectContaining(failure) })))
  expect(names(db)).toEqual([])
  db.close()
})

test('without waiting work nothing is begun', () => {
  const { db, queue } = open()
  const { transaction } = queue
  queue.flush()
  expect(queue.transaction).toBe(transaction)
  db.close()
})
