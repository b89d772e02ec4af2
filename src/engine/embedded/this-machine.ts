import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** What leases need to know of the machine and of this process. */
export interface Machine {
  readonly host: string
  /** Of this boot: processes with the same one share a steady clock. Undefined where the system does not tell. */
  readonly boot: string | undefined
  /** Processes with the same one find each other by their ids. */
  readonly processes: string
  readonly pid: number
  /** When this process started, so that a later process with the same id is not taken for it; undefined where the system does not tell. */
  readonly startedAt: string | undefined
  /**
   * Milliseconds since the machine started, which no clock step changes. A suspended machine does not count them: none of
   * its processes works then.
   */
  steady(): number
  /** Whether a process is there, and is the one that started then. */
  isRunning(pid: number, startedAt: string | undefined): boolean
}

export function thisMachine(): Machine {
  const host = hostname()
  const boot = read(() => `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${nameSpace('time')}`)
  return {
    host,
    boot,
    // Containers of one machine have ids of their own.
    processes: `${boot ?? host} ${nameSpace('pid')}`,
    pid: process.pid,
    startedAt: statOf(process.pid)?.startedAt,
    steady,
    isRunning,
  }
}

function steady(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1_000_000
}

function isRunning(pid: number, startedAt: string | undefined): boolean {
  if (!answersSignals(pid)) return false
  const stat = statOf(pid)
  // The owner of /proc may hide it; then the id has to do.
  if (!stat) return true
  // Killed, but not yet reaped by its parent: it works on nothing any more.
  if (stat.state === 'Z' || stat.state === 'X') return false
  return startedAt === undefined || stat.startedAt === startedAt
}

function answersSignals(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Only Linux tells. The name of the process stands in parentheses and may have any character; what is read comes after it. */
function statOf(
  pid: number,
): { readonly state: string | undefined; readonly startedAt: string | undefined } | undefined {
  const text = read(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  if (text === undefined) return undefined
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0], startedAt: fields[19] }
}

function nameSpace(kind: 'pid' | 'time'): string {
  return read(() => readlinkSync(`/proc/self/ns/${kind}`)) ?? ''
}

function read(source: () => string): string | undefined {
  try {
    return source()
  } catch {
    return undefined
  }
}
