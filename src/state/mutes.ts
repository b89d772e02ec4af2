import { isoTime } from '../core/iso-time.ts'
import type { Actor, Signed } from '../core/run.ts'

/** A period without messages about some pipelines. Times are in milliseconds since 1970. */
export interface Mute extends Signed {
  /** The name of a pipeline; `*` stands for any characters. */
  readonly pipelines: string
  readonly since: number
  readonly until: number
}

/** The pipelines that are muted. Every implementation passes test/contract/mutes-suite.ts. */
export interface Mutes {
  /**
   * The mutes that end after an instant, in order of their ends. Mutes that ended more than 30 days ago may be gone.
   */
  list(after: number): Promise<readonly Mute[]>
  /**
   * Adds a mute, and ends an active mute with the same `pipelines`. The audit log gets an entry, as for `unmute`.
   * Durable when it resolves.
   */
  mute(mute: Omit<Mute, keyof Signed>, actor: Actor): Promise<void>
  /** Ends the active mute with these `pipelines`. Returns false if there is none. */
  unmute(pipelines: string, at: number, actor: Actor): Promise<boolean>
}

/** A mute as programs get it, with times in RFC 3339. */
export interface MuteItem extends Omit<Mute, 'since' | 'until'> {
  readonly since: string
  readonly until: string
}

export function muteItem(mute: Mute): MuteItem {
  return { ...mute, since: isoTime(mute.since), until: isoTime(mute.until) }
}
