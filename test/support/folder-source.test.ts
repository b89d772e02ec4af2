import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { remoteSourceSuite } from '../contract/remote-source-suite.ts'
import { folderSource } from './folder-source.ts'

remoteSourceSuite('a folder', async () => {
  const root = await mkdtemp(join(tmpdir(), 'folder-source-'))
  await mkdir(join(root, 'in'))
  return {
    open: () => folderSource(root),
    async put(path, content, mtimeMs) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), content)
      if (mtimeMs !== undefined) await utimes(join(root, path), mtimeMs / 1000, mtimeMs / 1000)
    },
    content: (path) => readFile(join(root, path), 'utf8').catch(() => undefined),
    names: async (folder) => (await readdir(join(root, folder)).catch((): string[] => [])).sort(),
    async fill(folder, count) {
      for (let at = 0; at < count; at += 100)
        await Promise.all(
          Array.from({ length: Math.min(100, count - at) }, (_, i) =>
            writeFile(join(root, folder, `${at + i}.csv`), ''),
          ),
        )
    },
    remove: () => rm(root, { recursive: true }),
  }
})
