import { resolve } from 'node:path'
import type { Logger } from 'pino'
import type { Clock, SteadyClock } from '../../core/clock.ts'
import type { ErrorReport } from '../../core/errors.ts'
import type { Fire } from '../../core/fire.ts'
import type { Pipeline } from '../../core/pipeline.ts'
import type { WatchTrigger } from '../../core/trigger.ts'
import type { OccurrenceStore } from '../../state/occurrence-store.ts'
import type { Disk } from './disk.ts'
import type { FolderEvents, FolderListener } from './folder-events.ts'

/** A folder to watch: the trigger of a document, and the folder of the document. */
export interface Watch {
  readonly pipeline: Pipeline
  readonly trigger: WatchTrigger
  /** The absolute path of the document's folder; the trigger's paths are relative to it. */
  readonly folder: string
}

/** The absolute paths of the watched folder, and of `done` and `failed`. */
export function foldersOf({ trigger, folder }: Pick<Watch, 'trigger' | 'folder'>): readonly string[] {
  return [trigger.path, trigger.done, trigger.failed].map((each) => resolve(folder, each))
}

/** The absolute path of the watched folder. */
export function pathOf({ trigger, folder }: Watch): string {
  return resolve(folder, trigger.path)
}

/** The dependencies of the watcher. */
export interface WatchDeps {
  occurrenceStore: OccurrenceStore
  fire: Fire
  clock: SteadyClock
  log: Pick<Logger, 'info' | 'warn'>
  /** Throws if a folder or a file may not be used. Checks the current targets of symbolic links. */
  checkFile: (path: string) => void
  /** Throws if a folder might not be the same one on all machines that share the state. */
  checkShared?: (folder: string) => void
  /** The error with which a run failed, for the note beside its file. */
  whyFailed: (runId: string) => Promise<ErrorReport | undefined>
  disk: Disk
  watchFolders: (listener: FolderListener, clock: Clock) => FolderEvents
}
