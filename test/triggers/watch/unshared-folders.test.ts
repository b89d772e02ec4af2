import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { unsharedFolders, whyUnshared } from '../../../src/triggers/watch/unshared-folders.ts'
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

test('all folders of a watch are named at once, without those below another one, and one command marks them', () => {
  const folder = tempFolder()
  const trigger = { id: 'drop', path: 'inbox', done: 'inbox/done', failed: 'failed' }
  const watch = { folder, pipeline: 'nightly', trigger } as unknown as Watch
  const paths = [join(folder, 'inbox'), join(folder, 'failed')]
  expect(unsharedFolders([watch]).map(({ path }) => path)).toEqual(paths)
  expect(whyUnshared([watch])).toContain(`; also not watched: ${paths[1]}: audience workers share ${paths.join(' ')}`)
})
