import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import type { DatabaseSync } from 'node:sqlite'

/** How long an owner is taken to live after its last heartbeat, in milliseconds. */
const LEASE_MS = 10_000
const HEARTBEAT_MS = 2_000

/** This process among the owners of runs. */
export interface Owner {
  /** Another one after a lease that was lost: the runs of the old id are not this owner's any more. */
  readonly id: string
  /** Whether the lease was not lost. Where it holds in a transaction nobody has claimed a run of this owner: that forgets the owner first. */
  isRegistered(): boolean
  /** The owners that live: their lease runs, and on this machine their process is there. */
  living(): readonly string[]
  /** Ends the lease at once. */
  close(): void
}

/**
 * Registers this process as an owner and keeps its lease. A process that was killed is seen at once on the same machine
 * and when its lease has ended elsewhere; one that slept through its lease loses its runs and notices at its next write.
 */
export function registerOwner(db: DatabaseSync, now: () => number): Owner {
  let id = randomUUID()
  const host = hostname()
  const all = db.prepare('SELECT owner, pid, host, expires_at FROM owners')
  const beat = db.prepare('UPDATE owners SET expires_at = ? WHERE owner = ?')
  const forget = db.prepare('DELETE FROM owners WHERE owner = ?')
  const one = db.prepare('SELECT 1 FROM owners WHERE owner = ?')
  const insert = db.prepare('INSERT INTO owners (owner, pid, host, expires_at) VALUES (?, ?, ?, ?)')
  const register = () => insert.run(id, process.pid, host, now() + LEASE_MS)
  register()
  const timer = setInterval(() => {
    try {
      if (beat.run(now() + LEASE_MS, id).changes > 0) return
      id = randomUUID()
      register()
    } catch {
      // Locked or full: the next beat may come through, and a lease that ends is noticed at the next record.
    }
  }, HEARTBEAT_MS)
  timer.unref()

  function living(): string[] {
    const rows = all.all()
    // After a sleep the own lease may look as if it had ended; as long as it is there nobody else has found it so.
    const alive = rows.filter((row) => row.owner === id || lives(row, now()))
    for (const row of rows) if (!alive.includes(row)) forget.run(String(row.owner))
    return alive.map((row) => String(row.owner))
  }

  return {
    get id() {
      return id
    },
    isRegistered: () => one.get(id) !== undefined,
    living,
    close() {
      clearInterval(timer)
      forget.run(id)
    },
  }
}

/** The owners that live, for those that only look: it changes nothing. */
export function livingOwners(db: DatabaseSync, now: number): readonly string[] {
  const rows = db.prepare('SELECT owner, pid, host, expires_at FROM owners').all()
  return rows.filter((row) => lives(row, now)).map((row) => String(row.owner))
}

function lives(row: Record<string, unknown>, now: number): boolean {
  return Number(row.expires_at) > now && (row.host !== hostname() || isRunning(Number(row.pid)))
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Killed, but not yet reaped by its parent: it works on nothing any more. Only Linux tells. */
function isZombie(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
