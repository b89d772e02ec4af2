import { writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { FileSignal } from '../../src/contract/enumerations.ts'
import { messageOf } from '../../src/core/message-of.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { listBench } from './list-bench.ts'

const SIGNAL = new AbortController().signal

/** The error when a list is prepared with this opt-out file, and the error when the file is checked before any list. */
async function both(
  content: string | Uint8Array | undefined,
  signal: FileSignal = 'EMAIL',
  people = 'email\na@x.com\n',
) {
  const file = join(tempFolder(), 'out')
  if (content !== undefined) writeFileSync(file, content)
  const bench = listBench({ suppress: [file] })
  const said = (error: unknown) =>
    messageOf(error)
      .replaceAll(file, 'out')
      .replaceAll(/[^ ]*\/out\b/g, 'out')
  const made = await bench.prepare(people, { column: 1, signal }).then(() => undefined, said)
  const proved = await bench.lists.proveOptOuts(file, [signal], SIGNAL).then(() => undefined, said)
  return { made, proved, bench, file }
}

test.each<[string, string | Uint8Array | undefined]>([
  ['no file', undefined],
  ['an empty file', ''],
  ['the page of an error', '<html><body>503 Service Unavailable</body></html>\n'],
  ['words', 'Not Found\n'],
  ['a header without rows', 'name\n'],
  ['a row that cannot be used', 'email\na@x.com\nPat <pat@x.com>\n'],
  ['keys in another column', 'name,contact\nPat,a@x.com\n'],
  ['an archive', Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0, 0])],
  ['compressed data that are cut off', gzipSync('email\na@x.com\n').subarray(0, 20)],
  ['a JSON array', '[{"email":"a@x.com"}]\n'],
])('%s is refused before there is a list, in the words of the run', async (_, content) => {
  const { made, proved, bench } = await both(content)
  expect(made).toMatch(/nothing was prepared/)
  expect(proved).toBe(made?.replace('nothing was prepared', 'no list can be prepared'))
  expect((await readdir(join(bench.folder, `preview-${process.pid}`))).length).toBe(0)
})

test.each<[string, string | Uint8Array, FileSignal]>([
  ['keys alone', 'a@x.com\nb@x.com\n', 'EMAIL'],
  ['a header that names the signal', 'email,since\nz@x.com,2026\n', 'EMAIL'],
  ['a header and no rows', 'email\n', 'EMAIL'],
  ['compressed', gzipSync('email\nz@x.com\n'), 'EMAIL'],
  ['keys of another signal, as its header says', 'email\nz@x.com\n', 'IP'],
])('%s proves it', async (_, content, signal) => {
  const people = signal === 'IP' ? 'ip\n10.1.2.3\n' : 'email\nc@x.com\n'
  expect(await both(content, signal, people)).toMatchObject({ made: undefined, proved: undefined })
})

test('if no pipeline prepares lists, only a file that cannot be read is refused', async () => {
  const { bench, file } = await both('Not Found\n')
  await bench.lists.proveOptOuts(file, [], SIGNAL)
  await expect(bench.lists.proveOptOuts(`${file}-gone`, [], SIGNAL)).rejects.toThrow('there is no such file')
})
