import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { unsharedFolders } from '../../../src/triggers/watch/unshared-folders.ts'
import type { Watch } from '../../../src/triggers/watch/watch.ts'
import { tempFolder } from '../../support/temp-folder.ts'

test('a missing folder and an unmarked folder are different errors', () => {
  const folder = tempFolder()
  const watch = {
    folder,
    pipeline: 'nightly',
    trigger: { id: 'drop', path: 'inbox', done: 'inbox/done', failed: 'inbox/failed' },
  } as unknown as Watch
  const told = () => unsharedFolders([watch]).map(({ path, message }) => [path, message])
  const path = join(folder, 'inbox')
  expect(told()).toEqual([[path, expect.stringContaining('it does not exist there: mount it, or make it')]])
  mkdirSync(path)
  expect(told()).toEqual([[path, expect.stringContaining('marked as shared')]])
})
