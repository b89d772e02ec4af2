import { readdirSync, readFileSync } from 'node:fs'

/** Facts about processes from the system. Linux only. */
export const knowsProcesses = process.platform === 'linux'

/** The running children of a process. */
export function childrenOf(pid: number): number[] {
  return unlessEnded(() => readdirSync(`/proc/${pid}/task`), []).flatMap((task) =>
    unlessEnded(() => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8'), '')
      .split(' ')
      .filter(Boolean)
      .map(Number),
  )
}

/** Whether a process still runs. */
export function isAlive(pid: number): boolean {
  return unlessEnded(() => process.kill(pid, 0), false)
}

/** The resident memory of a process, in bytes; 0 if it has ended. */
export function residentOf(pid: number): number {
  const status = unlessEnded(() => readFileSync(`/proc/${pid}/status`, 'utf8'), '')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024
}

/** Reads a fact about a process that may end meanwhile. */
export function unlessEnded<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}
