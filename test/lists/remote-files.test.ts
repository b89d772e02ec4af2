import { appendFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MAX_REMOTE_BYTES, type RemoteSource } from '../../src/core/remote-source.ts'
import type { ListRequest } from '../../src/lists/list-request.ts'
import { type FolderTricks, folderSource } from '../support/folder-source.ts'
import { remoteFolder } from '../support/remote-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { listBench, parquetOf } from './list-bench.ts'

const AT = { kind: 's3', bucket: 'drops', region: 'eu-west-1', pathStyle: true } as const
const REQUEST = { column: 'email', signal: 'EMAIL' } as const

/** Lists that read the source `lake`, which is a folder. */
function remoteBench({ tricks, around = (source) => source }: Ends = {}) {
  const root = tempFolder()
  const source = around(folderSource(root, tricks))
  const bench = listBench({ sources: { lake: { kind: 'remote', at: AT } }, openSource: async () => source })
  const signal = new AbortController().signal
  const from = { source: 'lake', path: 'crm/{date}/*', date: '2026-01-31' }
  return {
    ...bench,
    root,
    there: remoteFolder(root),
    prepare: (given: ListRequest['from'] = from) => bench.lists.make({ from: given, ...REQUEST }, bench.place, signal),
    look: (given: ListRequest['from'] = from) => bench.lists.look(given, signal),
    /** The files that the work on a list left behind. */
    left: () => {
      const own = join(bench.folder, bench.place.runId)
      return readdirSync(own).flatMap((step) => readdirSync(join(own, step)))
    },
  }
}
interface Ends {
  readonly tricks?: FolderTricks
  readonly around?: (source: RemoteSource) => RemoteSource
}

test('the files of a day are copied and read, whatever their formats, and the copies are gone after that', async () => {
  const { there, prepare, content, left } = remoteBench()
  await there.put('crm/2026-01-31/b.csv', 'n,email\n1,bob@example.com\n')
  await there.put('crm/2026-01-31/a.parquet', await parquetOf(`SELECT 'ann@example.com' AS email`))
  await there.put('crm/2026-02-01/c.csv', 'email\ncia@example.com\n')
  expect(await prepare()).toMatchObject({ rows: 2, keys: 2 })
  expect(content()).toBe('email\nann@example.com\nbob@example.com\n')
  expect(left()).toEqual(['nightly.csv'])
})

test('the same rows give the same list, however their files are named and in whatever order they are listed', async () => {
  const { there, prepare } = remoteBench()
  await there.put('crm/2026-01-31/a.csv', 'email\nann@example.com\n')
  await there.put('crm/2026-01-31/b.csv', 'email\nbob@example.com\n')
  const other = remoteBench({
    around: (source) => ({
      ...source,
      async list(...args) {
        const { files, unusable } = await source.list(...args)
        return { files: files.toReversed(), unusable }
      },
    }),
  })
  await other.there.put('crm/2026-01-31/x.csv', 'email\nbob@example.com\n')
  await other.there.put('crm/2026-01-31/y.csv', 'email\nann@example.com\n')
  expect((await other.prepare()).sha256).toBe((await prepare()).sha256)
  expect((await other.look())?.map(({ path }) => path)).toEqual(['crm/2026-01-31/x.csv', 'crm/2026-01-31/y.csv'])
})

test.each([
  ['is written to while it is copied', (file: string) => appendFileSync(file, 'bob@example.com\n')],
  ['is gone by the end of its copy', (file: string) => rmSync(file)],
])('a file that %s is an error, and never a part of a list', async (_what, change) => {
  const path = 'crm/2026-01-31/a.csv'
  const bench = remoteBench({
    tricks: { before: (act) => (act === 'look' ? change(join(bench.root, path)) : undefined) },
  })
  await bench.there.put(path, 'email\nann@example.com\n')
  await expect(bench.prepare()).rejects.toMatchObject({
    code: 'source-file-changed',
    message: `${path} changed while it was copied`,
  })
  expect(bench.left()).toEqual([])
})

test('of many files one that cannot be read ends all copies, and none is left', async () => {
  const { there, prepare, left } = remoteBench({
    tricks: {
      before: (act, path) => {
        if (act === 'read' && path.endsWith('7.csv')) throw new Error('the connection ended')
      },
    },
  })
  for (let at = 0; at < 12; at += 1) await there.put(`crm/2026-01-31/${at}.csv`, 'email\nann@example.com\n')
  await expect(prepare()).rejects.toThrow('the connection ended')
  expect(left()).toEqual([])
})

test.each<[string, ListRequest['from'], object]>([
  [
    'without files',
    { source: 'lake', path: 'crm/*.csv' },
    { code: 'source-empty', message: 'source lake has no file: no file matches' },
  ],
  [
    'of a day without files',
    { source: 'lake', path: 'crm/{date}.csv', date: '2026-02-01' },
    { code: 'source-empty', message: 'source lake has no file: no file matches for 2026-02-01' },
  ],
  ['without a path', { source: 'lake' }, { code: 'source-needs-path' }],
  ['without its day', { source: 'lake', path: 'crm/{date}.csv' }, { code: 'source-needs-date' }],
  [
    'that leads out',
    { source: 'lake', path: '../crm/*.csv' },
    { code: 'wrong-value', message: '"../crm/*.csv" is not a path of a source: it is not the name of a file' },
  ],
  ['with a pattern in a folder', { source: 'lake', path: '*/a.csv' }, { code: 'wrong-value' }],
])('a list %s is an error', async (_what, from, error) => {
  const { there, prepare } = remoteBench()
  await there.put('crm/other.txt', 'x')
  await expect(prepare(from)).rejects.toMatchObject(error)
})

test('a file that is too large is not read', async () => {
  const reads: string[] = []
  const { there, prepare } = remoteBench({
    tricks: { before: (act, path) => void (act === 'read' && reads.push(path)) },
    around: (source) => ({
      ...source,
      async list(...args) {
        const { files, unusable } = await source.list(...args)
        return { files: files.map((file) => ({ ...file, size: MAX_REMOTE_BYTES + 1 })), unusable }
      },
    }),
  })
  await there.put('crm/2026-01-31/a.csv', 'email\nann@example.com\n')
  await expect(prepare()).rejects.toMatchObject({
    code: 'source-too-large',
    message: expect.stringContaining('lake:crm/2026-01-31/a.csv has 5,000,000,001 bytes'),
  })
  expect(reads).toEqual([])
})
