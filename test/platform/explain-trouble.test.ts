import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { explainTrouble } from '../../src/platform/explain-trouble.ts'
import { mountSmallDisk } from '../support/soak/small-disk.ts'
import { tempFolder } from '../support/temp-folder.ts'

const FULL = { why: 'its disk is full', repair: 'make room on its disk' }
const ofSystem = (code: string) => Object.assign(new Error('why'), { code })
const ofSqlite = (errcode: number) => Object.assign(new Error('why'), { code: 'ERR_SQLITE_ERROR', errcode })

test.each([
  ['a full disk', ofSystem('ENOSPC'), FULL],
  ['a full disk, by SQLite', ofSqlite(13), FULL],
  ['a disk error of SQLite while there is room', ofSqlite(10), { why: 'why', repair: undefined }],
  [
    'a folder that may not be written',
    ofSystem('EACCES'),
    { why: 'why', repair: expect.stringContaining('as the user') },
  ],
  ['another error', new Error('why'), { why: 'why', repair: undefined }],
  ['no error', 'why', { why: 'why', repair: undefined }],
])('%s is explained', (_what, error, trouble) => {
  expect(explainTrouble(error, tempFolder())).toEqual(trouble)
})

test('where there is no room, that is the reason of what SQLite calls a disk error, and of nothing else', (context) => {
  const folder = join(tempFolder(), 'disk')
  const disk = mountSmallDisk(folder, 1)
  if (!disk) return context.skip('this user may not mount')
  onTestFinished(() => disk.remove())
  const about = (error: unknown) => explainTrouble(error, folder).why
  // Extended codes, such as SQLITE_IOERR_SHMSIZE and SQLITE_CANTOPEN_ISDIR.
  const unclear = [ofSqlite(10 | (19 << 8)), ofSqlite(14 | (2 << 8))]
  expect(unclear.map(about)).toEqual(['why', 'why'])
  disk.fill()
  expect(unclear.map(about)).toEqual([FULL.why, FULL.why])
  expect([ofSqlite(5), ofSqlite(11), ofSystem('EIO'), new Error('why')].map(about)).toEqual(Array(4).fill('why'))
  disk.free()
  expect(unclear.map(about)).toEqual(['why', 'why'])
})

test('a folder that is not there says nothing of its disk', () => {
  const folder = tempFolder()
  expect(explainTrouble(ofSqlite(14), join(folder, 'none')).why).toBe('why')
  mkdirSync(join(folder, 'none'))
  expect(explainTrouble(ofSqlite(14), join(folder, 'none')).why).toBe('why')
})
