import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** How long it waits for another process's write. */
const BUSY_MS = 1000
/** The shortest time between two writes, however often the probe is called. */
const LOOK_EVERY_MS = 5000

/**
 * Throws if the state cannot be written. It makes a small write that reaches the disk, because only a write detects a
 * full or read-only disk. `steadyMs` never goes back.
 */
export function createStateProbe(stateFolder: string, steadyMs: () => number): () => void {
  let last: { readonly atMs: number; readonly error: unknown } | undefined
  return () => {
    const now = steadyMs()
    if (!last || now - last.atMs >= LOOK_EVERY_MS) last = { atMs: now, error: tryToWrite(stateFolder) }
    if (last.error !== undefined) throw last.error
  }
}

function tryToWrite(stateFolder: string): unknown {
  try {
    const db = new DatabaseSync(join(stateFolder, 'runs.db'), { timeout: BUSY_MS })
    try {
      db.exec(`INSERT INTO checkpoints (name, value) VALUES ('health.probe', 1)
        ON CONFLICT (name) DO UPDATE SET value = (value + 1) % 1000000`)
    } finally {
      db.close()
    }
    return undefined
  } catch (error) {
    return error
  }
}
