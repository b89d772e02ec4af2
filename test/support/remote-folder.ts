import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { RemotePlace } from '../contract/remote-source-suite.ts'

/** What others do in the folder of a source. */
export function remoteFolder(root: string): Pick<RemotePlace, 'put' | 'content' | 'names' | 'fill'> {
  return {
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
  }
}
