import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { AudienceError } from '../../src/core/errors.ts'
import type { Decompress } from '../../src/lists/decompress.ts'
import { listInput, unopened, type Workplace } from '../../src/lists/list-input.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Reads the beginning of a compressed file with this content. */
async function unpackedBy(decompress: Decompress, signal = new AbortController().signal) {
  const folder = tempFolder()
  const path = join(folder, 'list.gz')
  writeFileSync(path, gzipSync('email\n'))
  return listInput({ given: 'list.gz', path }, 'input-0', { folder, decompress, signal } as Workplace)
}

const LARGE = new AudienceError({ code: 'list-unpacked', kind: 'failed', message: 'too large' })

test.each<[string, Error, object]>([
  ['an error of ours stays', LARGE, LARGE],
  ['a full disk stays one', Object.assign(new Error('full'), { code: 'ENOSPC' }), { code: 'ENOSPC' }],
  [
    'all else is a damaged file',
    new Error('unexpected end of file'),
    { code: 'list-unreadable', message: 'list.gz cannot be read: its gzip data are damaged or cut off' },
  ],
])('what ends the unpacking of a file: %s', async (_what, error, expected) => {
  await expect(unpackedBy(() => Promise.reject(error))).rejects.toMatchObject(expected)
})

test('a caller that stops the unpacking of a file gets its own reason', async () => {
  const stop = new AbortController()
  const stopped = unpackedBy(async () => {
    stop.abort(new Error('stop'))
    throw new Error('unexpected end of file')
  }, stop.signal)
  await expect(stopped).rejects.toThrow('stop')
})

test.each([
  ['ENOENT', 'list.csv', 'there is no such file', 'check its path'],
  ['EISDIR', 'list.csv', 'it is a folder', 'docs/lists.md says which files can be read'],
  ['EACCES', 'list.csv', 'the system reports EACCES', 'docs/lists.md says which files can be read'],
])('a file that cannot be opened (%s) says why', (code, given, why, hint) => {
  const message = `${given} cannot be read: ${why}`
  expect(unopened(given, Object.assign(new Error('no'), { code }))).toMatchObject({ message, hint })
})
