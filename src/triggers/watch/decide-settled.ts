import type { FoundFile, Look } from './find-files.ts'

/** What a file looked like, and since when, in milliseconds since 1970. */
export interface Seen {
  readonly file: FoundFile
  readonly since: number
}

/**
 * A file can be taken when it has not changed for `settleMs` by our own clock. The file's own time may come from
 * another machine's clock, or may have been copied with the file. A file with its marker can be taken immediately.
 */
export function decideSettled(
  found: readonly FoundFile[],
  before: ReadonlyMap<string, Seen>,
  { now, settleMs }: { now: number; settleMs: number },
) {
  /** What to keep for the next check. */
  const seen = new Map<string, Seen>()
  /** The files to take now, oldest first. */
  const settled: FoundFile[] = []
  /** When the next file can be taken, if it does not change. */
  let nextAt: number | undefined
  for (const file of found) {
    const known = before.get(file.name)
    // A clock that was set back must not make a file wait longer.
    const since = known && isSame(known.file, file) ? Math.min(known.since, now) : now
    seen.set(file.name, { file, since })
    if (file.isMarked || since + settleMs <= now) settled.push(file)
    else nextAt = Math.min(nextAt ?? Number.POSITIVE_INFINITY, since + settleMs)
  }
  settled.sort((a, b) => a.mtimeMs - b.mtimeMs || (a.name < b.name ? -1 : 1))
  return { seen, settled, nextAt }
}

/** Whether a file has not changed. */
export function isSame(a: Look, b: Look): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ino === b.ino && a.version === b.version
}
