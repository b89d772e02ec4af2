import { randomInt, randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { look } from '../../core/clock.ts'
import { DAY_MS } from '../../core/duration.ts'
import { textColumn } from '../sql/run-row.ts'
import type { Row } from '../sql/work.ts'
import type { StateAround } from '../state.ts'

/** How long an owner counts as living after its last heartbeat, in milliseconds. */
const LEASE_MS = 10_000
const HEARTBEAT_MS = 2_000
/** How much the clocks of two machines may differ. */
const FOREIGN_MARGIN_MS = 30_000
/** An owner without runs is removed this long after its lease expires. */
const FORGET_AFTER_MS = DAY_MS

/** This process as one of the owners of runs. */
export interface Owner {
  readonly id: string
  /**
   * Registers this process as an owner, unless it already is one. Call this within the transaction that gives this
   * owner a run.
   */
  register(): void
  /**
   * A number that changes whenever another owner takes a run from this one; undefined while this process is not an
   * owner.
   */
  epoch(): number | undefined
  /** Records that a run is taken from another owner. Call this within the transaction that takes it. */
  takeFrom(owner: string): void
  /**
   * The living owners. As far as this process can see, the process of a living owner exists and its lease has not
   * expired. Always includes this owner. Only reads.
   */
  living(): ReadonlySet<string>
  /** Whether an owner is alive. */
  lives(owner: string): boolean
  /** Ends the lease immediately. */
  close(): void
}

/**
 * Makes this process an owner. It registers with its first run and renews its lease from then on. If a process on the
 * same machine exits, the others notice it immediately. Leases on the same machine use the steady clock that all its
 * processes share, so no step of the wall clock ends a lease. Leases of other machines use the wall clock, with a
 * margin.
 */
export function createOwner(db: DatabaseSync, { clock, machine }: StateAround): Owner {
  const { now } = clock
  const id = randomUUID()
  const all = db.prepare('SELECT * FROM owners')
  const one = db.prepare('SELECT * FROM owners WHERE owner = ?')
  const epoch = db.prepare('SELECT epoch FROM owners WHERE owner = ?')
  const raiseEpoch = db.prepare('UPDATE owners SET epoch = epoch + 1 WHERE owner = ?')
  const beat = db.prepare('UPDATE owners SET expires_at = ?, steady_until = ? WHERE owner = ?')
  const forget = db.prepare('DELETE FROM owners WHERE owner = ?')
  const forgetIdle = db.prepare(
    'DELETE FROM owners WHERE owner = ? AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.owner = owners.owner AND finished_at IS NULL)',
  )
  const insert = db.prepare(
    `INSERT INTO owners (owner, pid, host, expires_at, boot, processes, process_start, steady_until, epoch)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const leaseEnds = () => [Math.round(now() + LEASE_MS), Math.round(machine.steady() + LEASE_MS)] as const
  /** Owners whose process has ended. They never come back. */
  const gone = new Set<unknown>()
  let lease: AbortController | undefined

  async function keepLease({ signal }: AbortController): Promise<void> {
    for (;;) {
      // This call gives no due time: a clock that leaps need not stop for it, because nobody asks whether this process
      // is alive while nothing happens.
      await look(clock, HEARTBEAT_MS, signal)
      if (signal.aborted) return
      try {
        beat.run(...leaseEnds(), id)
      } catch {
        // The database is locked or the disk is full. The next heartbeat may succeed. This process notices in any case
        // if another owner takes a run.
      }
    }
  }

  function isThere(row: Row): boolean {
    if (gone.has(row.owner)) return false
    const there =
      row.processes !== machine.processes || machine.isRunning(Number(row.pid), textColumn(row.process_start))
    if (!there) gone.add(row.owner)
    return there
  }

  function lives(row: Row): boolean {
    if (row.owner === id) return true
    if (!isThere(row)) return false
    if (row.boot !== null && row.boot === machine.boot) return Number(row.steady_until) > machine.steady()
    const marginMs = row.host === machine.host ? 0 : FOREIGN_MARGIN_MS
    return Number(row.expires_at) + marginMs > now()
  }

  return {
    id,
    register() {
      if (!epoch.get(id)) {
        for (const row of all.all()) {
          if (!isThere(row) || Number(row.expires_at) + FORGET_AFTER_MS < now()) forgetIdle.run(String(row.owner))
        }
        const [expiresAt, steadyUntil] = leaseEnds()
        const { pid, host, boot = null, processes, startedAt = null } = machine
        // The epoch starts with a random number, so that nothing that was read during an earlier registration counts as
        // still valid.
        insert.run(id, pid, host, expiresAt, boot, processes, startedAt, steadyUntil, randomInt(2 ** 40))
      }
      if (lease) return
      lease = new AbortController()
      void keepLease(lease)
    },
    epoch() {
      const row = epoch.get(id)
      return row && Number(row.epoch)
    },
    takeFrom: (owner) => void raiseEpoch.run(owner),
    lives(owner) {
      const row = gone.has(owner) ? undefined : one.get(owner)
      return owner === id || (row !== undefined && lives(row))
    },
    living: () => new Set([id, ...all.all().flatMap((row) => (lives(row) ? [String(row.owner)] : []))]),
    close() {
      if (!lease) return
      lease.abort()
      try {
        forget.run(id)
      } catch {
        // The database is locked or the disk is full. The row can stay, because it no longer counts once this process
        // has ended.
      }
    },
  }
}
