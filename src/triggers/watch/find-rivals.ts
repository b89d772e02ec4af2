import { mayMatchSame } from './may-match-same.ts'
import type { Stop, Stops } from './stops.ts'

/** The other triggers that take files of the same folder and with the same names: who gets such a file is chance. */
export function findRivals(own: Stop, stops: Stops): readonly Stop[] {
  return [...stops.at(own.path)].filter(({ name, pattern }) => name !== own.name && mayMatchSame(own.pattern, pattern))
}

/** A sentence about them; `folder` as people know it. */
export function rivalsText(own: Stop, rivals: readonly Stop[], folder: string): string {
  const names = rivals.map(({ name }) => name).join(' and ')
  const which = rivals.every(({ pattern }) => pattern === own.pattern) ? 'the same files' : 'some of the same files'
  return `${names} ${rivals.length > 1 ? 'watch' : 'watches'} ${which} of ${folder}`
}

export const RIVALS_HINT = 'each file goes to either of them, by chance; give each its own folder or pattern'
