import { readdirSync, readFileSync, statSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { MAX_REMOTE_BYTES, type RemoteFile, type RemoteSource } from '../../src/core/remote-source.ts'
import { copyRemoteFiles } from '../../src/lists/copy-remote-files.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** Copies files of a source to a folder. Each file has these bytes. */
function copying(files: readonly RemoteFile[], during: (path: string) => Promise<void> | void = () => undefined) {
  const folder = tempFolder()
  const stop = new AbortController()
  const begun: string[] = []
  const at = {
    async *read({ path }: RemoteFile) {
      begun.push(path)
      await during(path)
      yield Buffer.from('email\n')
    },
    look: async (path: string) => files.find((file) => file.path === path),
  } as unknown as RemoteSource
  const copy = () => copyRemoteFiles({ at, source: 'lake' }, files, { folder, signal: stop.signal })
  return { folder, begun, stop, copy }
}

const filesOf = (count: number, size = 6): readonly RemoteFile[] =>
  Array.from({ length: count }, (_, at) => ({ path: `crm/${at}.csv`, size, mtimeMs: 0 }))

test('a copy has the content and the name of its file, and only its owner can read it', async () => {
  const [copied] = await copying(filesOf(1)).copy()
  expect(copied?.given).toBe('lake:crm/0.csv')
  expect(readFileSync(copied?.path ?? '', 'utf8')).toBe('email\n')
  expect(statSync(copied?.path ?? '').mode & 0o777).toBe(0o600)
})

test('four files are copied at the same time', async () => {
  let now = 0
  let most = 0
  const four = Promise.withResolvers<void>()
  const { copy } = copying(filesOf(12), async () => {
    now += 1
    most = Math.max(most, now)
    if (now === 4) four.resolve()
    await four.promise
    // A fifth copy would begin during this time.
    await setTimeout(20)
    now -= 1
  })
  await copy()
  expect(most).toBe(4)
})

test.each<[string, (stop: AbortController) => void]>([
  [
    'a file cannot be read',
    () => {
      throw new Error('over')
    },
  ],
  ['the run stops', (stop) => stop.abort(new Error('over'))],
])('when %s, no other copy is begun, and that is the error', async (_what, end) => {
  const { begun, stop, copy } = copying(filesOf(40), (path) => {
    if (path === 'crm/1.csv') end(stop)
  })
  await expect(copy()).rejects.toThrow('over')
  // Three other copies may be in progress.
  expect(begun.length).toBeLessThan(10)
})

test('a file of exactly the largest size is not too large', async () => {
  const said = await copying(filesOf(1, MAX_REMOTE_BYTES))
    .copy()
    .catch(({ code }) => code)
  expect(said).not.toBe('source-too-large')
})

test('files for which the disk has no room are not read', async () => {
  const { begun, folder, copy } = copying(filesOf(10_000, MAX_REMOTE_BYTES))
  await expect(copy()).rejects.toMatchObject({ code: 'list-disk-full' })
  expect(begun).toEqual([])
  expect(readdirSync(folder)).toEqual([])
})
