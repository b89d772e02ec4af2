import { basename, dirname } from 'node:path'
import { type FSWatcher, watch } from 'chokidar'
import type { Clock } from '../../core/clock.ts'

/**
 * Reports immediately when something happens in a folder. The regular check of the folder finds what the events miss.
 */
export interface FolderEvents {
  add(folder: string): void
  remove(folder: string): void
  close(): Promise<void>
}

export interface FolderListener {
  changed(folder: string): void
  /** The system refuses, for example because no watches are left. Folders may then change without an event. */
  failed(error: unknown): void
}

/** If chokidar gets all folders at the same time, it permanently takes twice the memory. */
const PAUSE_MS = 2

export function watchFolders(listener: FolderListener, clock: Clock, openWatcher: typeof watch = watch): FolderEvents {
  const folders = new Set<string>()
  const waiting = new Set<string>()
  const stopping = new AbortController()
  let watcher: FSWatcher | undefined
  let isAdding = false

  const open = () => {
    const opened = openWatcher([], {
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
