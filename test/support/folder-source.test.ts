import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { remoteSourceSuite } from '../contract/remote-source-suite.ts'
import { folderSource } from './folder-source.ts'
import { remoteFolder } from './remote-folder.ts'

remoteSourceSuite('a folder', async () => {
  const root = await mkdtemp(join(tmpdir(), 'folder-source-'))
  await mkdir(join(root, 'in'))
  return { ...remoteFolder(root), open: () => folderSource(root), remove: () => rm(root, { recursive: true }) }
})
