import { hash } from 'node:crypto'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { LASTS_MS, type OpenSession } from './sessions.ts'

/** The sessions that people ended before they expired. */
export interface EndedSessions {
  /** Ends a session, or all sessions that the same person has begun so far. Other workers notice within a second. */
  end(session: OpenSession, options: { everywhere: boolean }): void
  has(session: OpenSession): boolean
  /** Reads the sessions that other workers ended, at most once a second. */
  refresh(): Promise<void>
}

const LOOK_EVERY_MS = 1000
const NAME = /^console-ended-([0-9a-f]{32})-(\d+)$/

/**
 * Stores each end as an empty file in the folder of the console, which all workers of a database share. The name of the
 * file contains a hash of the session or of the person, and the time. The file is removed when no session from before
 * that time can be valid.
 */
export function endedSessions(folder: string, now: () => number): EndedSessions {
  const latest = new Map<string, number>()
  const learn = (names: readonly string[]) => {
    for (const name of names) {
      const [, key, at] = NAME.exec(name) ?? []
      if (key !== undefined) latest.set(key, Math.max(Number(at), latest.get(key) ?? 0))
    }
    // Sessions from before that time have all expired.
    for (const [key, at] of latest) if (now() - at > LASTS_MS) latest.delete(key)
  }
  let lookedAt = now()
  learn(readdirSync(folder))
  return {
    end(session, { everywhere }) {
      const at = now()
      const keys = [keyOf('session', session.content), ...(everywhere ? [keyOf('person', session.by)] : [])]
      const names = keys.map((key) => `console-ended-${key}-${at}`)
      for (const name of names) writeFileSync(join(folder, name), '', { mode: 0o600 })
      learn(names)
      for (const name of readdirSync(folder))
        if (at - Number(NAME.exec(name)?.[2]) > LASTS_MS) rmSync(join(folder, name), { force: true })
    },
    has({ content, by, began }) {
      return latest.has(keyOf('session', content)) || (latest.get(keyOf('person', by)) ?? 0) >= began
    },
    async refresh() {
      if (Math.abs(now() - lookedAt) < LOOK_EVERY_MS) return
      lookedAt = now()
      learn(await readdir(folder))
    },
  }
}

function keyOf(kind: 'session' | 'person', text: string): string {
  return hash('sha256', `${kind}\0${text}`).slice(0, 32)
}
