import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** How long it waits for another process's write. */
const BUSY_MS = 1000
/** The shortest time between two writes, however often the probe is called. */
const LOOK_EVERY_MS = 5000

/**
 * Returns why the state cannot be written, or undefined if it can. It makes a small write that reaches the disk,
 * because only a write detects a full or read-only disk. `steadyMs` never goes back.
 */
export function createStateProbe(stateFolder: string, steadyMs: () => number): () => string | undefined {
  let last: { readonly atMs: number; readonly reason: string | undefined } | undefined
  return () => {
    const now = steadyMs()
    if (!last || now - last.atMs >= LOOK_EVERY_MS) last = { atMs: now, reason: tryToWrite(stateFolder) }
    return last.reason
  }
}

function tryToWrite(stateFolder: string): string | undefined {
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
    return error instanceof Error ? error.message : String(error)
  }
}
