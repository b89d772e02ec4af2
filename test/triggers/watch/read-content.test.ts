import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Disk, localDisk } from '../../../src/triggers/watch/disk.ts'
import { readContent } from '../../../src/triggers/watch/read-content.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const TEXT = 'email\nann@x.test\n'
const RULE = { maxBytes: 100, minimumShare: 1 }

/** The content read from a file with this text. `meanwhile` changes the file just after it was opened. */
function contentOf(text: string, meanwhile: (path: string) => void = () => undefined) {
  const path = join(tempFolder(), 'a.csv')
  writeFileSync(path, text)
  utimesSync(path, 1, 1)
  const open: Disk['open'] = async (...given) => {
    const handle = await localDisk.open(...given)
    meanwhile(path)
    return handle
  }
  const file = { path, name: 'a.csv', ticket: '1-x', key: '1-x' }
  return readContent({ ...localDisk, open }, file, RULE, new AbortController().signal)
}

test('a file that stays as it is while it is read is fit, with its size and its hash', async () => {
  const sha256 = createHash('sha256').update(TEXT).digest('hex')
  expect(await contentOf(TEXT)).toEqual({ state: 'fit', about: { size: TEXT.length, mtimeMs: 1000, sha256 } })
})

test.each<[string, (path: string) => void]>([
  ['grows', (path) => appendFileSync(path, 'bob@x.test\n')],
  ['is cut', (path) => truncateSync(path, 3)],
  ['is written anew with as many bytes', (path) => writeFileSync(path, TEXT.toUpperCase())],
])('a file that %s while it is read has changed', async (_what, meanwhile) => {
  expect(await contentOf(TEXT, meanwhile)).toEqual({ state: 'changed' })
})

test('a file that is empty, too large, away or no file gets no run', async () => {
  expect(await contentOf('')).toMatchObject({ state: 'unfit', reason: 'it is empty' })
  expect(await contentOf('x'.repeat(101))).toMatchObject({
    ...{ state: 'unfit', reason: 'it has 101 bytes; at most 100 are allowed' },
  })
  expect(await contentOf('x'.repeat(100))).toMatchObject({ state: 'fit' })
  const folder = tempFolder()
  const read = (name: string) =>
    readContent(
      localDisk,
      { path: join(folder, name), name, ticket: 't', key: 't' },
      RULE,
      new AbortController().signal,
    )
  mkdirSync(join(folder, 'folder.csv'))
  expect(await read('folder.csv')).toMatchObject({ state: 'unfit' })
  rmSync(join(folder, 'folder.csv'), { recursive: true })
  expect(await read('folder.csv')).toEqual({ state: 'gone' })
})
