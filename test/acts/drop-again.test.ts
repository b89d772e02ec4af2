import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dropAgain } from '../../src/acts/drop-again.ts'
import { type Settings, uploadsFolder } from '../../src/config/settings.ts'
import type { Occurrence } from '../../src/core/occurrence.ts'
import { sha256 } from '../../src/core/sha256.ts'
import type { LiveDocument } from '../../src/daemon/documents/live-documents.ts'
import { giversOf } from '../../src/daemon/file-givers.ts'
import { tempFolder } from '../support/temp-folder.ts'

const REF = { pipeline: 'p', trigger: 'drop' }
const ANA = { by: 'Ana', comment: 'the partner is known now' }

/** A watched folder whose file a.csv was moved to `failed`, except for `more`; `drop` drops it again. */
function bench(more: Partial<Occurrence> = {}, { isThere = true } = {}) {
  const folder = tempFolder()
  const failed = join(folder, 'failed')
  const moved = join(failed, 'a.csv')
  for (const each of ['inbox', 'failed']) mkdirSync(join(folder, each))
  writeFileSync(`${moved}.reason.txt`, 'no column')
  if (isThere) writeFileSync(moved, 'a,b\n')
  const trigger = { ...{ id: 'drop', kind: 'watch', path: 'inbox', pattern: '*.csv' }, done: 'done', failed: 'failed' }
  const document = { pipeline: { name: 'p', triggers: [trigger] }, folder, file: join(folder, 'p.yaml') }
  const detail = { name: 'a.csv', ticket: '1a2b3c', failed, movedTo: moved, ...more.detail }
  const occurrence = { ...REF, key: 'k', at: 1, state: 'ran', runId: 'r', ...more, detail }
  const settings = { shared: join(folder, 'shared'), policy: { ownEnv: [] }, pipelines: folder } as unknown as Settings
  const notes: unknown[] = []
  const state = {
    occurrences: {
      find: async ({ key }: { key: string }) => (key === 'k' ? occurrence : undefined),
      close: async (_: unknown, its: object) => void notes.push(its),
    },
    audit: { add: async (act: unknown) => void notes.push(act) },
  }
  const drop = (key = 'k', documents = new Map([['p', document as unknown as LiveDocument]])) =>
    dropAgain({ ref: REF, key, givers: ['Ana', 'root'] }, ANA, {
      ...{ state, settings, documents: () => documents, openSource: async () => undefined },
      signal: new AbortController().signal,
    } as unknown as Parameters<typeof dropAgain>[2])
  return { folder, moved, detail, notes, drop, uploads: uploadsFolder(settings) }
}

test('a failed file is in its watched folder again, and its next run is of the people who dropped it', async () => {
  const { folder, moved, detail, notes, drop, uploads } = bench()
  const file = join(folder, 'inbox/a.csv')
  expect(await drop()).toBe(file)
  expect(readFileSync(file, 'utf8')).toBe('a,b\n')
  expect([moved, `${moved}.reason.txt`].filter((path) => existsSync(path))).toEqual([])
  expect(new Set(giversOf(uploads, sha256('a,b\n')))).toEqual(new Set(['Ana', 'root']))
  const { movedTo: _, ...rest } = detail
  expect(notes).toEqual([rest, { ...ANA, act: 'file.retry', subject: 'p/drop', detail: 'a.csv', outcome: 'done' }])
})

test.each<[string, Parameters<typeof bench>, string]>([
  ['unknown-file', [], 'another'],
  ['unknown-source', [{ detail: { source: 'partner' } }], 'k'],
  ['file-open', [{ open: true }], 'k'],
  ['file-has-run', [{ detail: { outcome: 'succeeded' } }, { isThere: false }], 'k'],
  ['file-gone', [{ detail: { outcome: 'failed' } }, { isThere: false }], 'k'],
])('%s: a file is not dropped again', async (code, given, key) => {
  const { drop, notes } = bench(...given)
  await expect(drop(key)).rejects.toMatchObject({ code, kind: 'usage' })
  expect(notes).toEqual([])
})

test('a file of a folder that no document watches is not dropped again', async () => {
  await expect(bench().drop('k', new Map())).rejects.toMatchObject({ code: 'unknown-trigger' })
})
