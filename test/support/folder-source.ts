import { createReadStream } from 'node:fs'
import { lstat, mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf } from '../../src/core/code-of.ts'
import { type RemoteErrorCode, remoteError } from '../../src/core/remote-error.ts'
import { joinRemotePath, splitRemotePath, takenPath, whyNoRemoteName } from '../../src/core/remote-path.ts'
import {
  MAX_REMOTE_ENTRIES,
  MAX_REMOTE_FILES,
  type RemoteFile,
  type RemoteSource,
} from '../../src/core/remote-source.ts'

/** How a test changes the behaviour of a source. */
export interface FolderTricks {
  /** Called before each operation, with its name and the path. It may wait, or throw an error as the server would. */
  readonly before?: (act: keyof RemoteSource, path: string) => void | Promise<void>
  readonly isReadOnly?: () => boolean
}

/** A source that reads a folder of this machine, for tests. Like SFTP, it takes files and has no versions. */
export function folderSource(root: string, { before, isReadOnly = () => false }: FolderTricks = {}): RemoteSource {
  let isClosed = false
  const at = (path: string) => join(root, path)
  const begin = async (act: keyof RemoteSource, path: string, signal: AbortSignal) => {
    signal.throwIfAborted()
    if (isClosed) throw error('source-unreachable', 'the source is closed')
    await before?.(act, path)
    signal.throwIfAborted()
  }
  const change = async (act: keyof RemoteSource, path: string, signal: AbortSignal) => {
    await begin(act, path, signal)
    if (isReadOnly()) throw error('source-read-only', `this account may not change ${path}`)
  }
  const look = async (path: string): Promise<RemoteFile | undefined> => {
    const stats = await lstat(at(path)).catch(unlessMissing)
    if (!stats?.isFile()) return undefined
    return { path, size: stats.size, mtimeMs: Math.floor(stats.mtimeMs / 1000) * 1000 }
  }
  const moved = async (from: string, to: string): Promise<boolean> => {
    await mkdir(dirname(at(to)), { recursive: true })
    return rename(at(from), at(to))
      .then(() => true, unlessMissing)
      .then(Boolean)
  }
  /** Removes the folder of its ticket, which is now empty. */
  const tidy = async (path: string) => {
    const { folder } = splitRemotePath(path)
    if (folder.split('/').at(-2) === '.taken') await rmdir(at(folder)).catch(() => undefined)
  }
  return {
    can: { take: true, versions: false, tag: false },
    async describe(signal) {
      await begin('describe', '', signal)
      return 'a folder'
    },
    async list(folder, isWanted, { signal }) {
      await begin('list', folder, signal)
      const entries = await readdir(at(folder)).catch(unlessMissing)
      if (!entries) throw error('source-folder-missing', `there is no folder ${folder}`)
      const wanted = entries.filter((name) => !name.startsWith('.') && isWanted(name))
      if (entries.length > MAX_REMOTE_ENTRIES || wanted.length > MAX_REMOTE_FILES)
        throw error('source-too-many', `${folder} has too many files`)
      const usable = wanted.filter((name) => whyNoRemoteName(name) === undefined)
      const files = (await Promise.all(usable.map((name) => look(joinRemotePath(folder, name))))).filter(
        (file) => file !== undefined,
      )
      return { files, unusable: wanted.length - files.length }
    },
    async look(path, { signal }) {
      await begin('look', path, signal)
      return look(path)
    },
    async *read({ path, size }, { signal }) {
      await begin('read', path, signal)
      if (size === 0) return
      let length = 0
      try {
        for await (const chunk of createReadStream(at(path), { end: size - 1, signal })) {
          length += chunk.length
          yield chunk
        }
      } catch (cause) {
        signal.throwIfAborted()
        if (codeOf(cause) !== 'ENOENT') throw cause
      }
      if (length < size) throw error('source-file-changed', `${path} is shorter than it was`)
    },
    async take(file, { ticket, signal }) {
      await change('take', file.path, signal)
      const path = takenPath(file.path, ticket)
      if (await moved(file.path, path)) return look(path)
      await tidy(path)
      return undefined
    },
    async move({ path }, { folder, name, ticket, signal }) {
      await change('move', path, signal)
      if (!(await look(path))) {
        await tidy(path)
        return undefined
      }
      const [plain, other] = [name, `${ticket}-${name}`].map((each) => joinRemotePath(folder, each)) as [string, string]
      const to = (await lstat(at(plain)).catch(unlessMissing)) ? other : plain
      const isMoved = await moved(path, to)
      await tidy(path)
      return isMoved ? to : undefined
    },
    async remove({ path }, { signal }) {
      await change('remove', path, signal)
      const wasThere = (await look(path)) !== undefined
      await rm(at(path), { force: true })
      await tidy(path)
      return wasThere
    },
    async tag() {
      throw new Error('a folder knows no tags')
    },
    async close() {
      isClosed = true
    },
  }
}

function unlessMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error
}

function error(code: RemoteErrorCode, message: string) {
  return remoteError(code, { message })
}
