import type { FoundFile, Look } from './find-files.ts'

/** How a file looked, and since when it has looked so, in milliseconds since 1970. */
export interface Seen {
  readonly file: FoundFile
  readonly since: number
}

export interface SettledFiles {
  /** What to remember for the next look. */
  readonly seen: Map<string, Seen>
  /** The files that can be taken, oldest first. */
  readonly settled: readonly FoundFile[]
  /** When the next one can be, if it stays as it is. */
  readonly nextAt?: number
}

/**
 * A file can be taken once it has been still for `settleMs`, by our own clock: what it says itself may come from another
 * machine's clock, or have been copied with it. With its marker it can be taken at once.
 */
export function decideSettled(
  found: readonly FoundFile[],
  before: ReadonlyMap<string, Seen>,
  { now, settleMs }: { readonly now: number; readonly settleMs: number },
): SettledFiles {
  const seen = new Map<string, Seen>()
  const settled: FoundFile[] = []
  let nextAt: number | undefined
  for (const file of found) {
    const known = before.get(file.name)
    // A clock that was put back must not make a file wait for the time it lost.
    const since = known && isSame(known.file, file) ? Math.min(known.since, now) : now
    seen.set(file.name, { file, since })
    if (file.isMarked || since + settleMs <= now) settled.push(file)
    else nextAt = Math.min(nextAt ?? Number.POSITIVE_INFINITY, since + settleMs)
  }
  settled.sort((a, b) => a.mtimeMs - b.mtimeMs || (a.name < b.name ? -1 : 1))
  return { seen, settled, ...(nextAt !== undefined && { nextAt }) }
}

/** Whether a file has stayed what it was. */
export function isSame(a: Look, b: Look): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ino === b.ino
}
