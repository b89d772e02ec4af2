import { randomBytes } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServiceRef } from '../../core/service-ref.ts'
import { tried } from '../../core/tried.ts'
import { isInstanceLocked } from '../../platform/instance-lock.ts'
import { readBounded } from '../../platform/read-bounded.ts'
import { stateUnreadable } from '../../state/state-damage.ts'

/**
 * What a daemon writes about itself and its service to `daemon.json` in the state folder, for other processes and for
 * people.
 */
export interface DaemonInfo extends ServiceRef {
  readonly pid: number
  readonly host: string
  /** RFC 3339 in UTC. */
  readonly startedAt: string
  readonly version: string
  /** The URL of its health server; missing while the daemon is starting, or if the server is turned off. */
  readonly url?: string
  /** The address of its console, if it has one. */
  readonly console?: string
}

/** `gone`: the last daemon exited without a clean shutdown, because it was killed or its machine stopped. */
export type DaemonState =
  | { readonly state: 'running'; readonly info?: DaemonInfo }
  | { readonly state: 'gone'; readonly info: DaemonInfo }
  | { readonly state: 'stopped' }

const MOST_BYTES = 1_000_000

/**
 * The daemon of a state folder, which need not exist. Only the lock decides whether the daemon runs; nothing is
 * written. Throws `state-unreadable` if the folder may not be read.
 */
export function readDaemon(stateFolder: string): DaemonState {
  const running = isLocked(daemonLockFile(stateFolder))
  const info = readDaemonInfo(stateFolder)
  if (running) return { state: 'running', info }
  return info ? { state: 'gone', info } : { state: 'stopped' }
}

export function readDaemonInfo(stateFolder: string): DaemonInfo | undefined {
  // Only `writeDaemonInfo` writes this file, by renaming.
  return tried(() => JSON.parse(readBounded(daemonFile(stateFolder), MOST_BYTES).toString()) as DaemonInfo)
}

/** Writes a separate file and renames it, so that no process reads half of it. */
export function writeDaemonInfo(stateFolder: string, info: DaemonInfo): void {
  const file = daemonFile(stateFolder)
  const aside = `${file}.${randomBytes(6).toString('hex')}`
  writeFileSync(aside, `${JSON.stringify(info)}\n`, { mode: 0o600 })
  renameSync(aside, file)
}

export function removeDaemonInfo(stateFolder: string): void {
  rmSync(daemonFile(stateFolder), { force: true })
}

function isLocked(file: string): boolean {
  try {
    return isInstanceLocked(file)
  } catch (error) {
    throw stateUnreadable(file, error)
  }
}

export function daemonLockFile(stateFolder: string): string {
  return join(stateFolder, 'daemon.lock')
}

function daemonFile(stateFolder: string): string {
  return join(stateFolder, 'daemon.json')
}
