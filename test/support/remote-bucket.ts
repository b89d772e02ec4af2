import type { RemotePlace } from '../contract/remote-source-suite.ts'
import type { S3Server } from './s3-server/s3-server.ts'

/** What others do in the bucket of a source. */
export function remoteBucket({ bucket }: S3Server): Pick<RemotePlace, 'put' | 'content' | 'names' | 'fill'> {
  return {
    async put(path, content, mtimeMs) {
      bucket.put(path, Buffer.from(content), { modified: mtimeMs === undefined ? undefined : new Date(mtimeMs) })
    },
    content: async (path) => bucket.current(path)?.content.toString(),
    names: async (folder) => {
      const inside = bucket.keys
        .filter((key) => key.startsWith(`${folder}/`))
        .map((key) => key.slice(folder.length + 1))
      return [...new Set(inside.map((key) => key.split('/')[0] ?? ''))].sort()
    },
    async fill(folder, count) {
      for (let at = 0; at < count; at++) bucket.put(`${folder}/${at}.csv`, Buffer.alloc(0))
    },
  }
}
