import { randomInt, randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { Machine } from './this-machine.ts'

/** How long an owner is taken to live after its last heartbeat, in milliseconds. */
const LEASE_MS = 10_000
const HEARTBEAT_MS = 2_000
/** How far the clocks of two machines may differ. */
const FOREIGN_MARGIN_MS = 30_000
/** An owner without runs is forgotten this long after its lease. */
const FORGET_AFTER_MS = 86_400_000

/** This process among the owners of runs. */
export interface Owner {
  readonly id: string
  /** Makes this process an owner where it is none yet. Called within the transaction that makes a run this owner's. */
  register(): void
  /** Changes whenever another owner takes a run of this one; undefined while this process is no owner. */
  epoch(): number | undefined
  /** Notes that a run of another owner is taken. Called within the transaction that takes it. */
  takeFrom(owner: string): void
  /** The owners whose process is there, as far as that can be seen, and whose lease is not over; this one always. Only reads. */
  living(): ReadonlySet<string>
  /** Ends the lease at once. */
  close(): void
}

/**
 * This process as an owner: it registers with its first run and keeps its lease from then on. On one machine a process
 * that has gone is seen at once, and leases count on the steady clock that its processes share, so that no clock step ends
 * one; on other machines they count on the wall clock, with a margin. `now` is in milliseconds since 1970.
 */
export function createOwner(db: DatabaseSync, now: () => number, machine: Machine): Owner {
  const id = randomUUID()
  const all = db.prepare('SELECT * FROM owners')
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
  let timer: NodeJS.Timeout | undefined

  function keepLease(): void {
    try {
      beat.run(...leaseEnds(), id)
    } catch {
      // Locked or full: the next heartbeat may come through, and a run that another owner takes is noticed in any case.
    }
  }

  function isThere(row: Row): boolean {
    return row.processes !== machine.processes || machine.isRunning(Number(row.pid), text(row.process_start))
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
        // Another start each time: what was known of an earlier registration does not hold.
        insert.run(id, pid, host, expiresAt, boot, processes, startedAt, steadyUntil, randomInt(2 ** 40))
      }
      timer ??= setInterval(keepLease, HEARTBEAT_MS).unref()
    },
    epoch() {
      const row = epoch.get(id)
      return row && Number(row.epoch)
    },
    takeFrom: (owner) => void raiseEpoch.run(owner),
    living: () => new Set([id, ...all.all().flatMap((row) => (lives(row) ? [String(row.owner)] : []))]),
    close() {
      if (!timer) return
      clearInterval(timer)
      try {
        forget.run(id)
      } catch {
        // Locked or full: the end of the process says the same.
      }
    },
  }
}

type Row = Record<string, unknown>

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
