import { hostname } from 'node:os'
import { AudienceError } from '../../core/errors.ts'
import type { ServiceRef } from '../../core/service-ref.ts'
import { makeFolder } from '../../engine/embedded/open-state.ts'
import { type InstanceLock, takeInstanceLock } from '../../service/local/instance-lock.ts'
import { type DaemonInfo, daemonLockFile, readDaemonInfo, removeDaemonInfo, writeDaemonInfo } from './daemon-file.ts'

/** The right to be the daemon of a state folder. It ends with the process, however that ends. */
export interface DaemonLock {
  /** Tells others where the daemon answers. */
  announce(url: string): void
  /** Takes leave; the next one may start. */
  release(): void
}

/** Long enough for a daemon that has just taken the lock to say who it is, and for a look at the lock to be over. */
const WAIT_MS = 1000

/**
 * Takes the lock of a state folder, which is made where it is missing. The system gives it to one process at a time and
 * takes it back when that one ends, so that neither a pid nor an age has to be judged, and a daemon that was killed is
 * followed at once. Throws `daemon-running` with who has it: kind `failed`, because the command line is right and the
 * same one works later.
 */
export function acquireDaemonLock(
  stateFolder: string,
  daemon: { readonly version: string; readonly now: number; readonly here: ServiceRef },
): DaemonLock {
  const lock = take(stateFolder)
  if (!lock) throw alreadyRunning(stateFolder, readDaemonInfo(stateFolder))
  const info: DaemonInfo = {
    pid: process.pid,
    host: hostname(),
    startedAt: new Date(daemon.now).toISOString(),
    version: daemon.version,
    ...daemon.here,
  }
  try {
    writeDaemonInfo(stateFolder, info)
  } catch (error) {
    lock.release()
    throw unwritable(stateFolder, error)
  }
  let released = false
  return {
    announce: (url) => writeDaemonInfo(stateFolder, { ...info, url }),
    release() {
      // A second call must not take away what a follower has written.
      if (released) return
      released = true
      removeDaemonInfo(stateFolder)
      lock.release()
    },
  }
}

function take(stateFolder: string): InstanceLock | undefined {
  try {
    makeFolder(stateFolder)
    return takeInstanceLock(daemonLockFile(stateFolder), { waitMs: WAIT_MS })
  } catch (error) {
    throw unwritable(stateFolder, error)
  }
}

function alreadyRunning(stateFolder: string, info: DaemonInfo | undefined): AudienceError {
  const who = info
    ? `process ${info.pid} on ${info.host}, since ${info.startedAt}${info.url ? `, ${info.url}` : ''}`
    : 'a process that has not said who it is'
  return new AudienceError({
    code: 'daemon-running',
    kind: 'failed',
    message: `audience start runs already for the state in ${stateFolder}: ${who}`,
    hint: `\`audience status\` shows what it does; stop it first${info ? ` (kill ${info.pid} on ${info.host})` : ''}, or name another folder with AUDIENCE_STATE`,
  })
}

function unwritable(stateFolder: string, error: unknown): AudienceError {
  return new AudienceError({
    code: 'state-unwritable',
    kind: 'failed',
    message: `the state folder ${stateFolder} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
    hint: 'check its permissions and the space on its disk, or name another one with AUDIENCE_STATE',
    cause: error,
  })
}
