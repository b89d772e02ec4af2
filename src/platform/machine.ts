import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { codeOf } from '../core/code-of.ts'
import { tried } from '../core/tried.ts'

/**
 * The machine and this process on it. With it, owners of runs can tell each other apart, and see when one of them is
 * gone.
 */
export interface Machine {
  readonly host: string
  /**
   * Identifies this boot: processes with the same value share a steady clock. Undefined if the system does not provide
   * it.
   */
  readonly boot: string | undefined
  /** Processes with the same value can find each other by their ids. */
  readonly processes: string
  readonly pid: number
  /**
   * When this process started, to distinguish it from a later process with the same id; undefined if the system does
   * not provide it.
   */
  readonly startedAt: string | undefined
  /**
   * Milliseconds since the machine started. Setting the clock does not affect it. The time during which the machine is
   * suspended does not count, because no process runs then.
   */
  steady(): number
  /** Whether a process with this id exists and started at that time. */
  isRunning(pid: number, startedAt: string | undefined): boolean
}

/** The real machine. */
export function thisMachine(): Machine {
  const host = hostname()
  const boot = tried(() => `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${nameSpace('time')}`)
  return {
    host,
    boot,
    // Each container on a machine has its own process ids.
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
  if (!isProcess(pid)) return false
  const stat = statOf(pid)
  // The owner of /proc may hide the process; in that case, only the id is compared.
  if (!stat) return true
  // The process was killed, but its parent has not reaped it yet: it is no longer running.
  if (stat.state === 'Z' || stat.state === 'X') return false
  return startedAt === undefined || stat.startedAt === startedAt
}

/** Whether a process with this id exists. It may have another owner, and it may be a later one with the same id. */
export function isProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/**
 * Available on Linux only. The process name is in parentheses and may contain any character. The fields read here
 * follow it.
 */
function statOf(
  pid: number,
): { readonly state: string | undefined; readonly startedAt: string | undefined } | undefined {
  const text = tried(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  if (text === undefined) return undefined
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0], startedAt: fields[19] }
}

function nameSpace(kind: 'pid' | 'time'): string {
  return tried(() => readlinkSync(`/proc/self/ns/${kind}`)) ?? ''
}
