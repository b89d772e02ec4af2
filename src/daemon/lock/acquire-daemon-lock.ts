import { hostname } from 'node:os'
import { AudienceError, failedError } from '../../core/errors.ts'
import { utcTime } from '../../core/format/time-text.ts'
import { isoTime } from '../../core/iso-time.ts'
import type { ServiceRef } from '../../core/service-ref.ts'
import { explainTrouble } from '../../platform/explain-trouble.ts'
import { type InstanceLock, takeInstanceLock } from '../../platform/instance-lock.ts'
import { makeOwnFolder } from '../../platform/own-folder.ts'
import { type DaemonInfo, daemonLockFile, readDaemonInfo, removeDaemonInfo, writeDaemonInfo } from './daemon-file.ts'

/** The right to be the daemon of a state folder. It ends with the process, however the process ends. */
export interface DaemonLock {
  /** Publishes the URLs of the daemon for other processes. */
  announce(urls: Pick<DaemonInfo, 'url' | 'console'>): void
  /** Gives up the lock; another daemon may start. */
  release(): void
}

interface ThisDaemon {
  readonly version: string
  readonly now: number
  readonly here: ServiceRef
}

/**
 * Long enough for a daemon that has just taken the lock to write its information, and for another process to finish
 * testing the lock.
 */
const WAIT_MS = 1000

/**
 * Takes the lock of a state folder, and creates the folder if it is missing. The system gives the lock to one process
 * at a time and takes it back when that process ends. So there is no need to guess from a pid or an age, and a new
 * daemon can start immediately after a kill. Throws `daemon-running` with the owner of the lock. The kind of that error
 * is `failed`, because the command line is correct and will work later.
 */
export function acquireDaemonLock(stateFolder: string, daemon: ThisDaemon): DaemonLock {
  const lock = tryDaemonLock(stateFolder, daemon)
  if (lock) return lock
  throw alreadyRunning(stateFolder, readDaemonInfo(stateFolder))
}

/** Takes the lock in the same way; undefined if another process has it. */
export function tryDaemonLock(stateFolder: string, daemon: ThisDaemon): DaemonLock | undefined {
  const lock = take(stateFolder)
  if (!lock) return undefined
  const info: DaemonInfo = {
    pid: process.pid,
    host: hostname(),
    startedAt: isoTime(daemon.now),
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
    announce: (urls) => writeDaemonInfo(stateFolder, { ...info, ...urls }),
    release() {
      // A second call must not remove what the next daemon has written.
      if (released) return
      released = true
      removeDaemonInfo(stateFolder)
      lock.release()
    },
  }
}

function take(stateFolder: string): InstanceLock | undefined {
  try {
    makeOwnFolder(stateFolder)
    return takeInstanceLock(daemonLockFile(stateFolder), { waitMs: WAIT_MS })
  } catch (error) {
    if (error instanceof AudienceError) throw error
    throw unwritable(stateFolder, error)
  }
}

function alreadyRunning(stateFolder: string, info: DaemonInfo | undefined): AudienceError {
  const who = info
    ? `process ${info.pid} on ${info.host}, since ${utcTime(Date.parse(info.startedAt))}${info.url ? `, ${info.url}` : ''}`
    : 'a process that has not identified itself'
  return failedError(
    'daemon-running',
    `audience start is already running for the state in ${stateFolder}: ${who}`,
    `\`audience status\` shows what it is doing; stop it first${info ? ` (kill ${info.pid} on ${info.host})` : ''}, or name another folder with AUDIENCE_STATE`,
  )
}

function unwritable(stateFolder: string, error: unknown): AudienceError {
  const { why, repair = 'check its permissions' } = explainTrouble(error, stateFolder)
  return new AudienceError({
    code: 'state-unwritable',
    kind: 'failed',
    message: `the state folder ${stateFolder} cannot be written: ${why}`,
    hint: `${repair}, or name another folder with AUDIENCE_STATE`,
    cause: error,
  })
}
