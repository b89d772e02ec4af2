import { basename, dirname } from 'node:path'
import { type FSWatcher, watch } from 'chokidar'
import type { Clock } from '../../core/clock.ts'

/** Tells at once when something happens in a folder. What it misses, the regular look at the folder finds. */
export interface FolderEvents {
  add(folder: string): void
  remove(folder: string): void
  close(): Promise<void>
}

export interface FolderListener {
  changed(folder: string): void
  /** The system refuses, such as for want of watches: folders may change without a word. */
  failed(error: unknown): void
}

/** Folders that are given to chokidar all at once take twice the memory for good. */
const PAUSE_MS = 2

export function watchFolders(listener: FolderListener, clock: Clock): FolderEvents {
  const folders = new Set<string>()
  const waiting = new Set<string>()
  const stopping = new AbortController()
  let watcher: FSWatcher | undefined
  let isAdding = false

  const open = () => {
    const opened = watch([], {
      backend: 'native',
      depth: 0,
      followSymlinks: false,
      atomic: false,
      ignorePermissionErrors: true,
      ignored: (path) => basename(path).startsWith('.') && !folders.has(path),
    })
    opened.on('all', (_event, path) => {
      if (folders.has(path)) listener.changed(path)
      if (folders.has(dirname(path))) listener.changed(dirname(path))
    })
    opened.on('error', (error) => listener.failed(error))
    return opened
  }
  const addWaiting = async () => {
    if (isAdding) return
    isAdding = true
    try {
      for (const folder of waiting) {
        waiting.delete(folder)
        watcher ??= open()
        watcher.add(folder)
        await clock.sleep(PAUSE_MS, stopping.signal)
      }
    } catch (error) {
      if (!stopping.signal.aborted) listener.failed(error)
    } finally {
      isAdding = false
    }
  }
  return {
    add(folder) {
      folders.add(folder)
      waiting.add(folder)
      void addWaiting()
    },
    remove(folder) {
      folders.delete(folder)
      if (!waiting.delete(folder)) watcher?.unwatch(folder)
    },
    async close() {
      stopping.abort()
      await watcher?.close()
    },
  }
}
