import { codeOf } from '../core/code-of.ts'

const PREFIX = 'preview-'

/** The folder of the lists that this process previews. */
export const PREVIEW = `${PREFIX}${process.pid}`

/** Whether a folder has the previews of a process that still runs. A killed one left them. */
export function isPreviewed(name: string): boolean {
  if (!name.startsWith(PREFIX)) return false
  try {
    process.kill(Number(name.slice(PREFIX.length)), 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}
