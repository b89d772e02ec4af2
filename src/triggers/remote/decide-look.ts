import { formatDuration } from '../../core/format/duration-text.ts'
import { hintOf, type RemoteFile } from '../../core/remote-source.ts'
import type { WaitFor } from '../../core/trigger.ts'
import { type LedgerFile, membersOf, type RemoteSet } from '../../state/remote-ledger.ts'
import { decideSettled, type Seen } from '../watch/decide-settled.ts'
import { type Arrival, eachAlone, formFileSets, MAX_SET_FILES, partsOf } from './form-file-sets.ts'

/** An arrival to take. */
export interface Taking extends Arrival {
  /** What a set lacks when its time is up, as a sentence. */
  readonly lack?: string
}

interface Rules {
  readonly now: number
  readonly settleMs: number
  readonly waitFor?: WaitFor | undefined
  /** When each set appeared, by name. */
  readonly since?: ReadonlyMap<string, number>
}

/**
 * Compares a whole listing with the ledger. It does not rely on the newest time seen so far, because a file may arrive
 * late with an old time, and two files may have the same time.
 */
export function decideLook(
  files: readonly RemoteFile[],
  ledger: readonly LedgerFile[],
  before: ReadonlyMap<string, Seen>,
  { now, settleMs, waitFor, since = new Map() }: Rules,
) {
  const underWay = new Set(ledger.flatMap((row) => (row.state === 'open' ? membersOf(row).map(idOf) : [])))
  const there = files.filter((file) => !underWay.has(idOf({ path: file.path, hint: hintOf(file) })))
  const arrivals = waitFor ? formFileSets(there, waitFor) : eachAlone(there)
  const listed = new Set(arrivals.map(idOf))
  const kept = new Set(ledger.flatMap((row) => (row.state === 'kept' ? [idOf(row)] : [])))
  const fresh = arrivals.filter((arrival) => !kept.has(idOf(arrival)))
  const { seen, settled, nextAt } = decideSettled(
    fresh.flatMap(partsOf).map(({ path, size, mtimeMs, version }) => ({
      name: path,
      size,
      mtimeMs,
      version,
      ino: 0,
      isMarked: false,
    })),
    before,
    // At least 1 ms, so that a file is taken after two checks at the earliest: a single check cannot show whether it is
    // changing.
    { now, settleMs: Math.max(1, settleMs) },
  )
  const places = new Map(settled.map(({ name }, place) => [name, place]))
  const age = (arrival: Arrival) => Math.max(...partsOf(arrival).map(({ path }) => places.get(path) ?? Number.NaN))
  const sets = fresh.flatMap((arrival) => waitingSet(arrival, { now, withinMs: waitFor?.withinMs, since }))
  const untils = new Map(sets.map(({ name, until }) => [name, until]))
  const take = fresh
    .filter((arrival) => !Number.isNaN(age(arrival)) && arrival.files.length <= MAX_SET_FILES)
    .flatMap((arrival): Taking[] => {
      const { set } = arrival
      if (!set || set.missing.length === 0) return [arrival]
      const isOver = (untils.get(set.name) ?? Number.POSITIVE_INFINITY) <= now
      return isOver ? [{ ...arrival, lack: lackOf(set.missing, waitFor?.withinMs ?? 0) }] : []
    })
    .sort((a, b) => age(a) - age(b))
  return {
    /** What to take now, oldest first. */
    take,
    /** The tickets of kept files that are gone or have changed. */
    forget: ledger.flatMap((row) => (row.state === 'kept' && !listed.has(idOf(row)) ? [row.ticket] : [])),
    /** What to keep for the next check. */
    seen,
    /** The sets that have not been taken yet, including those to take now, and when each appeared. */
    sets,
    /** How many files nobody has taken yet, including those to take now. */
    waiting: fresh.flatMap(partsOf).length,
    /** Names of sets with more files than a set may have. Their files stay where they are. */
    tooLarge: fresh.flatMap(({ files, set }) => (set && files.length > MAX_SET_FILES ? [set.name] : [])),
    /** When the next file or set can be taken, if nothing changes. */
    nextAt: earliest([nextAt, ...sets.flatMap(({ until }) => (until !== undefined && until > now ? [until] : []))]),
  }
}

function idOf({ path, hint }: { path: string; hint: string }): string {
  return `${hint} ${path}`
}

function waitingSet(
  { set }: Arrival,
  { now, withinMs, since }: { now: number; withinMs?: number | undefined; since: ReadonlyMap<string, number> },
): readonly RemoteSet[] {
  if (!set) return []
  const { name, missing } = set
  // A clock that was set back must not make a set wait longer.
  const first = Math.min(since.get(name) ?? now, now)
  const until = withinMs === undefined || missing.length === 0 ? undefined : first + withinMs
  return [{ name, since: first, missing, until }]
}

function lackOf(missing: readonly string[], withinMs: number): string {
  const [first = '', ...others] = missing
  const more = others.length === 0 ? 'is' : `and ${others.length} more are`
  return `${first} ${more} missing, ${formatDuration(withinMs)} after the first file of the set arrived`
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}
