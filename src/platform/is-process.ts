import { codeOf } from '../core/code-of.ts'

/** Whether a process with this id exists. It may have another owner, and it may be a later one with the same id. */
export function isProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}
