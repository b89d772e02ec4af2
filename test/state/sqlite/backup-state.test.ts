import {
  closeSync,
  copyFileSync,
  openSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { backupState } from '../../../src/state/sqlite/backup-state.ts'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { around } from '../../support/around.ts'
import { tempFolder } from '../../support/temp-folder.ts'

function written() {
  const folder = tempFolder()
  const state = openEmbeddedState({ folder, redact: (text) => text, ...around })
  onTestFinished(() => state.journal.close())
  return { folder, ...state }
}

const submission = { file: 'n.yaml', folder: '/', text: 'x'.repeat(10_000), digest: '', inputs: {}, trigger: {} }
const run = (index: number) =>
  ({
    runId: `r${index}`,
    at: index,
    record: { type: 'run.submitted', pipeline: 'nightly', ...submission },
  }) as const

test('the copy is of one moment, while the state is written without a pause', async () => {
  const { folder, journal } = written()
  await Promise.all(Array.from({ length: 500 }, (_, index) => journal.submit(run(index))))
  let isOver = false
  const writing = (async () => {
    for (let index = 500; !isOver; index += 1) await journal.submit(run(index))
  })()
  const target = tempFolder()
  const { runs } = await backupState(folder, join(target, 'copy.db'))
  isOver = true
  await writing
  expect(runs).toBeGreaterThanOrEqual(500)
  expect(readdirSync(target)).toEqual(['copy.db'])
  expect(statSync(join(target, 'copy.db')).mode & 0o777).toBe(0o600)

  const restored = tempFolder()
  copyFileSync(join(target, 'copy.db'), join(restored, 'runs.db'))
  const copy = openEmbeddedState({ folder: restored, redact: (text) => text, ...around })
  expect((await copy.runs.page({ limit: 10_000 })).rows).toHaveLength(runs)
  expect(copy.journal.records('r499')).toHaveLength(1)
  copy.journal.close()
})

test('several at once with one name: one of them has it, and it is whole', async () => {
  const { folder, journal } = written()
  await journal.submit(run(1))
  const target = tempFolder()
  const file = join(target, 'copy.db')
  const made = await Promise.allSettled(Array.from({ length: 5 }, () => backupState(folder, file)))
  expect(made.filter(({ status }) => status === 'fulfilled')).toEqual([
    { status: 'fulfilled', value: { runs: 1, bytes: expect.any(Number) } },
  ])
  expect(readdirSync(target)).toEqual(['copy.db'])
})

test.each([
  ['no-state', (folder: string) => ({ state: join(folder, 'none'), file: join(folder, 'copy.db') })],
  [
    'file-exists',
    (folder: string, state: string) => {
      writeFileSync(join(folder, 'copy.db'), 'mine')
      return { state, file: join(folder, 'copy.db') }
    },
  ],
  ['backup-failed', (folder: string, state: string) => ({ state, file: join(folder, 'none', 'copy.db') })],
])('%s: nothing is written', async (code, given) => {
  const folder = tempFolder()
  const { state, file } = given(folder, written().folder)
  const before = readdirSync(folder)
  await expect(backupState(state, file)).rejects.toMatchObject({ code })
  expect(readdirSync(folder)).toEqual(before)
})

test('a state that cannot be looked at is not taken for one that is not there', async () => {
  const state = tempFolder()
  // A link that leads to itself.
  symlinkSync('runs.db', join(state, 'runs.db'))
  const error = await backupState(state, join(tempFolder(), 'copy.db')).catch((thrown) => thrown)
  expect(error.code).not.toBe('no-state')
  expect(error.message).toContain(join(state, 'runs.db'))
})

test('a damaged state has no copy, and what is said is about the state', async () => {
  const { folder, journal } = written()
  await Promise.all(Array.from({ length: 50 }, (_, index) => journal.submit(run(index))))
  journal.close()
  const page = 4096
  const opened = openSync(join(folder, 'runs.db'), 'r+')
  writeSync(opened, Buffer.alloc(8 * page), 0, 8 * page, 2 * page)
  closeSync(opened)
  const target = tempFolder()
  await expect(backupState(folder, join(target, 'copy.db'))).rejects.toMatchObject({ code: 'state-damaged' })
  expect(readdirSync(target)).toEqual([])
})
