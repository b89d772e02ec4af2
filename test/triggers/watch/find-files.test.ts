import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { localDisk } from '../../../src/triggers/watch/disk.ts'
import { filePattern } from '../../../src/triggers/watch/file-pattern.ts'
import { findFiles } from '../../../src/triggers/watch/find-files.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const found = (folder: string) =>
  findFiles(localDisk, folder, {
    pattern: filePattern('*.csv'),
    isOthers: () => false,
    used: [join(folder, 'done.csv')],
  })

test('each file of a large folder is found once', async () => {
  const folder = tempFolder()
  const names = Array.from({ length: 70 }, (_, at) => `a${at}.csv`)
  for (const name of names) writeFileSync(join(folder, name), name)
  const { files, ignored } = await found(folder)
  expect(files.map(({ name }) => name).sort()).toEqual(names.sort())
  expect(ignored).toEqual([])
})

test('a marker counts if it is as new as its file; a folder, a link or a name in capitals is told, if it is not in use', async () => {
  const folder = tempFolder()
  const put = (name: string, seconds: number) => {
    writeFileSync(join(folder, name), 'x')
    utimesSync(join(folder, name), seconds, seconds)
  }
  for (const [name, seconds] of [
    ['a.csv', 5],
    ['b.csv', 5],
    ['c.csv', 5],
    ['d.csv', 5],
  ] as const)
    put(name, seconds)
  for (const [name, seconds] of [
    ['a.csv.done', 5],
    ['b.csv.done', 4],
  ] as const)
    put(name, seconds)
  mkdirSync(join(folder, 'c.csv.done'))
  mkdirSync(join(folder, 'done.csv'))
  symlinkSync('a.csv', join(folder, 'link.csv'))
  for (const name of ['E.CSV', 'a.csv.reason.txt', 'notes.txt']) put(name, 5)
  const { files, ignored } = await found(folder)
  expect(files.map(({ name, size, isMarked }) => [name, size, isMarked]).sort()).toEqual([
    ['a.csv', 1, true],
    ['b.csv', 1, false],
    ['c.csv', 1, false],
    ['d.csv', 1, false],
  ])
  expect(ignored.map(({ name }) => name).sort()).toEqual(['E.CSV', 'c.csv.done', 'link.csv'])
})
