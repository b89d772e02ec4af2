import { expect, test } from 'vitest'
import { checkSource } from '../../src/acts/check-source.ts'
import type { RemoteSource } from '../../src/core/remote-source.ts'
import type { RemoteAct } from '../../src/core/trigger.ts'
import type { SourceWatch } from '../../src/status/source-status.ts'

const NAMES = ['a.csv', 'b.csv', 'b.txt']

/** A source with these files and a link in each folder; it can only describe and list. */
const source = {
  describe: async () => 'sftp drops ok',
  list: async (folder: string, isWanted: (name: string) => boolean) => ({
    files: NAMES.filter(isWanted).map((name) => ({ path: `${folder}/${name}`, size: 1, mtimeMs: 1 })),
    unusable: 1,
  }),
} as unknown as RemoteSource

const KEEP: RemoteAct = { act: 'keep' }

function watchOf(path: string, done = KEEP, failed = KEEP): SourceWatch {
  return { pipeline: 'p', trigger: path, its: { path, done, failed } } as unknown as SourceWatch
}

test.each([
  ['nothing, if no trigger watches it', [], [], false],
  ['files that stay', [watchOf('in/*.csv')], [2], false],
  ['files of two folders', [watchOf('in/*.csv'), watchOf('out/b.*')], [2, 2], false],
  ['files that go when they are done', [watchOf('in/*', { act: 'delete' })], [3], true],
  ['files that go when they fail', [watchOf('in/*', KEEP, { act: 'move', folder: 'failed' })], [3], true],
])('a source has %s', async (_, watched, files, moves) => {
  const found = await checkSource(source, watched, new AbortController().signal)
  expect(found).toEqual({
    description: 'sftp drops ok',
    watches: watched.map(({ pipeline, trigger, its }, index) => ({
      ...{ pipeline, trigger, path: its.path },
      ...{ files: files[index], unusable: 1 },
    })),
    moves,
  })
})
