import { type FolderIdentity, isSameFolder } from '../../platform/real-path.ts'
import { mayMatchSame } from './may-match-same.ts'

/** A watched folder that files pass through. */
export interface Stop {
  /** The trigger, `nightly/drop`. */
  readonly name: string
  readonly path: FolderIdentity
  /** The folders `done` and `failed` of the trigger. */
  readonly leadsTo: readonly FolderIdentity[]
  readonly pattern: string
}

/** The watched folders of several triggers. They are looked up by identity, because there may be thousands. */
export class Stops {
  readonly #byFolder = new Map<string, Stop[]>()

  constructor(stops: Iterable<Stop> = []) {
    for (const stop of stops) this.add(stop)
  }

  add(stop: Stop): void {
    for (const name of stop.path) {
      const others = this.#byFolder.get(name)
      if (others) others.push(stop)
      else this.#byFolder.set(name, [stop])
    }
  }

  /** The triggers that watch a folder. */
  at(folder: FolderIdentity): ReadonlySet<Stop> {
    return new Set(folder.flatMap((name) => this.#byFolder.get(name) ?? []))
  }
}

/**
 * The other triggers that take files with the same names from the same folder. Chance decides which one gets such a
 * file.
 */
export function findRivals(own: Stop, stops: Stops): readonly Stop[] {
  return [...stops.at(own.path)].filter(({ name, pattern }) => name !== own.name && mayMatchSame(own.pattern, pattern))
}

/** A sentence about the triggers that `findRivals` found; `folder` is the path that people know. */
export function rivalsText(own: Stop, rivals: readonly Stop[], folder: string): string {
  const names = rivals.map(({ name }) => name).join(' and ')
  const which = rivals.every(({ pattern }) => pattern === own.pattern) ? 'the same files' : 'some of the same files'
  return `${names} ${rivals.length > 1 ? 'watch' : 'watches'} ${which} of ${folder}`
}

export const RIVALS_HINT = 'each file goes to one of them, by chance; give each its own folder or pattern'

/**
 * The triggers through which a file returns to the folder that it was taken from, beginning with `start`; undefined if
 * it does not return. A chain in which one trigger takes the files that another has put into `done` is allowed. A
 * circle never ends, because each trigger would take the same files again and again.
 */
export function findRound(start: Stop, stops: Stops): readonly string[] | undefined {
  const reached = new Set([start.name])
  const ways: { readonly at: Stop; readonly names: readonly string[] }[] = [{ at: start, names: [start.name] }]
  for (const { at, names } of ways) {
    const comesBack = at.leadsTo.some((folder) => isSameFolder(folder, start.path))
    if (comesBack && mayShareNames(at.pattern, start.pattern)) return names
    for (const next of at.leadsTo.flatMap((folder) => [...stops.at(folder)])) {
      if (reached.has(next.name) || !mayShareNames(at.pattern, next.pattern)) continue
      reached.add(next.name)
      ways.push({ at: next, names: [...names, next.name] })
    }
  }
  return undefined
}

/**
 * False only if the literal endings of two patterns show that no name matches both. A file that is moved keeps the
 * ending of its name.
 */
function mayShareNames(one: string, other: string): boolean {
  const [a, b] = [endingOf(one), endingOf(other)]
  return a.endsWith(b) || b.endsWith(a)
}

function endingOf(pattern: string): string {
  return pattern.slice(Math.max(...['*', '?', ']', '}'].map((sign) => pattern.lastIndexOf(sign))) + 1)
}

/** A sentence about the circle that `findRound` found. */
export function roundText(names: readonly string[]): string {
  const [first] = names
  return names.length > 1
    ? `files would move in a circle forever: ${[...names, first].join(' → ')}`
    : 'done or failed is the watched folder itself, so files would be taken again and again'
}
