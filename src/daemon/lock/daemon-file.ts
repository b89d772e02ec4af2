import { randomBytes } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServiceRef } from '../../core/service-ref.ts'
import { stateUnreadable } from '../../engine/embedded/open-readable-state.ts'
import { isInstanceLocked } from '../../service/local/instance-lock.ts'

/** What a daemon tells about itself, and which service it works with, in `daemon.json` of the state folder, for other processes and for people. */
export interface DaemonInfo extends ServiceRef {
  readonly pid: number
  readonly host: string
  /** RFC 3339 in UTC. */
  readonly startedAt: string
  readonly version: string
  /** Where it tells how it is; missing while it starts, or where it was told not to. */
  readonly url?: string
}

/** `gone`: the last one ended without taking leave, killed or with its machine. */
export type DaemonState =
  | { readonly state: 'running'; readonly info?: DaemonInfo }
  | { readonly state: 'gone'; readonly info: DaemonInfo }
  | { readonly state: 'stopped' }

/**
 * The daemon of a state folder, which need not be there. The lock alone tells whether it runs; nothing is written. Throws
 * `state-unreadable` where the folder may not be looked into.
 */
export function readDaemon(stateFolder: string): DaemonState {
  const running = isLocked(daemonLockFile(stateFolder))
  const info = readDaemonInfo(stateFolder)
  if (running) return { state: 'running', ...(info && { info }) }
  return info ? { state: 'gone', info } : { state: 'stopped' }
}

export function readDaemonInfo(stateFolder: string): DaemonInfo | undefined {
  try {
    // Only `writeDaemonInfo` writes there, and renames.
    return JSON.parse(readFileSync(daemonFile(stateFolder), 'utf8')) as DaemonInfo
  } catch {
    return undefined
  }
}

/** Written aside and renamed, so that nobody reads half of it. */
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
