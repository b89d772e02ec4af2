import { readdirSync, readFileSync } from 'node:fs'

/** What the system says about processes; Linux only. */
export const knowsProcesses = process.platform === 'linux'

/** The processes that a process has started and that have not ended. */
export function childrenOf(pid: number): number[] {
  return unlessEnded(() => readdirSync(`/proc/${pid}/task`), []).flatMap((task) =>
    unlessEnded(() => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8'), '')
      .split(' ')
      .filter(Boolean)
      .map(Number),
  )
}

/** Whether a process has not ended. */
export function isAlive(pid: number): boolean {
  return unlessEnded(() => process.kill(pid, 0), false)
}

/** The bytes that a process has in memory; 0 if it has ended. */
export function residentOf(pid: number): number {
  const status = unlessEnded(() => readFileSync(`/proc/${pid}/status`, 'utf8'), '')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024
}

/** What a process finds out about another one, which may end meanwhile. */
export function unlessEnded<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}
