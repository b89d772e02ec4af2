import fs, { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openState } from '../../../src/state/sqlite/open-state.ts'
import { mountSmallDisk } from '../../support/soak/small-disk.ts'
import { tempFolder } from '../../support/temp-folder.ts'

test.each<[string, (folder: string) => void, string]>([
  ['a file', (folder) => writeFileSync(folder, ''), 'where the folder should be: move it away'],
  ['a link that leads nowhere', (folder) => symlinkSync('nowhere', folder), 'where the folder should be: move it away'],
  [
    'a folder, where its file has to be,',
    (folder) => mkdirSync(join(folder, 'runs.db'), { recursive: true }),
    'check the folder, restore a backup, or',
  ],
])('%s in the place of a state cannot be opened, and what to do is said', (_what, make, hint) => {
  const folder = join(tempFolder(), 'state')
  make(folder)
  expect(() => openState(folder)).toThrowError(
    expect.objectContaining({ code: 'state-unreadable', kind: 'failed', hint: expect.stringContaining(hint) }),
  )
})

test('the second state that a process makes is as the first', () => {
  const made = [tempFolder(), tempFolder()].map((folder) => {
    const db = openState(folder)
    onTestFinished(() => db.close())
    return {
      mode: statSync(join(folder, 'runs.db')).mode & 0o777,
      version: db.prepare('PRAGMA user_version').get(),
      schema: db.prepare('SELECT * FROM sqlite_schema ORDER BY name').all(),
      checkpoints: db.prepare('SELECT * FROM checkpoints').all(),
    }
  })
  expect(made[0]).toMatchObject({ mode: 0o600, checkpoints: [{ name: 'runs', value: 0 }] })
  expect(made[1]).toEqual(made[0])
})

/** A disk with some operations replaced by the test. */
function disk(parts: Partial<typeof fs>): void {
  const whole = Object.fromEntries(Object.keys(parts).map((name) => [name, fs[name as keyof typeof fs]]))
  Object.assign(fs, parts)
  syncBuiltinESMExports()
  onTestFinished(() => {
    Object.assign(fs, whole)
    syncBuiltinESMExports()
  })
}

const isFull = () => {
  throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
}

test.each<[string, Partial<typeof fs>]>([
  ['be begun', { writeFileSync: isFull }],
  ['get its name', { linkSync: isFull, renameSync: isFull }],
])('a state that cannot %s leaves nothing, and what to do is said', (_, parts) => {
  const folder = join(tempFolder(), 'state')
  disk(parts)
  expect(() => openState(folder)).toThrowError(
    expect.objectContaining({ code: 'state-unreadable', hint: expect.stringContaining('make room on its disk') }),
  )
  expect(readdirSync(folder)).toEqual([])
})

test('an intact state on a full disk says so, not that it has to be restored', async (context) => {
  const folder = join(tempFolder(), 'disk')
  const small = mountSmallDisk(folder, 2)
  if (!small) return context.skip('this user may not mount')
  onTestFinished(() => small.remove())
  openState(folder).close()
  small.fill()
  expect(() => openState(folder)).toThrowError(
    expect.objectContaining({
      code: 'state-unreadable',
      message: `the state in ${join(folder, 'runs.db')} cannot be opened: its disk is full`,
      hint: 'nothing was changed; make room on its disk, or name another folder with AUDIENCE_STATE',
    }),
  )
})

test('of two processes that make a state at the same moment, the second takes that of the first', () => {
  const folder = join(tempFolder(), 'state')
  disk({
    linkSync(aside, file) {
      fs.cpSync(String(aside), String(file))
      throw Object.assign(new Error('EEXIST: file already exists'), { code: 'EEXIST' })
    },
  })
  const db = openState(folder)
  expect(db.prepare('SELECT count(*) AS runs FROM runs').get()).toEqual({ runs: 0 })
  db.close()
  expect(readdirSync(folder)).toEqual(['runs.db'])
})
