import { isProcess } from '../platform/is-process.ts'

const PREFIX = 'preview-'

/** The folder of the lists that this process previews. */
export const PREVIEW = `${PREFIX}${process.pid}`

/** Whether a folder has the previews of a process that still runs; a killed process leaves its folder behind. */
export function isPreviewed(name: string): boolean {
  return name.startsWith(PREFIX) && isProcess(Number(name.slice(PREFIX.length)))
}
