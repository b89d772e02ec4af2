import type { Logger } from 'pino'
import type { Clock, SteadyClock } from '../../core/clock.ts'
import type { ErrorReport } from '../../core/errors.ts'
import type { Fire } from '../../core/fire.ts'
import type { OccurrenceStore } from '../../state/occurrence-store.ts'
import type { Disk } from './disk.ts'
import type { FolderEvents, FolderListener } from './folder-events.ts'

/** The dependencies of the watcher. */
export interface WatchDeps {
  readonly occurrenceStore: OccurrenceStore
  readonly fire: Fire
  readonly clock: SteadyClock
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** Throws if a folder or a file may not be used; checks the present targets of symbolic links. */
  readonly checkFile: (path: string) => void
  /** Throws if a folder may be another one on this machine than on the others that share the state. */
  readonly checkShared?: (folder: string) => void
  /** The error with which a run failed, for the note beside its file. */
  readonly whyFailed: (runId: string) => Promise<ErrorReport | undefined>
  readonly disk: Disk
  readonly watchFolders: (listener: FolderListener, clock: Clock) => FolderEvents
}
