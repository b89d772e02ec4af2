import type { Logger } from 'pino'
import type { Clock } from '../core/clock.ts'
import { messageOf } from '../core/message-of.ts'
import type { Duties } from './start-duties.ts'

/** The duties of this process, while it has the role for them. */
export interface HeldRole {
  readonly duties: Duties | undefined
  /**
   * This process has the role now. Starts its duties. If they cannot begin, tries again while the process has the role;
   * if no other process could have the role, rejects instead.
   */
  begin(start: () => Promise<Duties>): Promise<void>
  /** The process has lost the role, or gives it back. Resolves when no duty runs here any more. */
  end(): Promise<void>
}

const AGAIN_AFTER_MS = 2_000

/** Begins and ends duties as the role comes and goes, always one after the other. */
export function holdRole({
  clock,
  log,
  isShared,
}: {
  clock: Clock
  log: Pick<Logger, 'info' | 'error'>
  isShared: boolean
}): HeldRole {
  let duties: Duties | undefined
  let holding = new AbortController()
  let work: Promise<void> = Promise.resolve()

  async function beginDuties(start: () => Promise<Duties>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        duties = await start()
        if (isShared) log.info('this process is the keeper now: it runs schedules, watches folders and notifies people')
        return
      } catch (error) {
        if (!isShared) throw error
        log.error({ error: messageOf(error) }, 'schedules and watched folders cannot start; this will be retried')
        await clock.sleep(AGAIN_AFTER_MS, signal).catch(() => undefined)
      }
    }
  }

  async function endDuties(): Promise<void> {
    const ending = duties
    duties = undefined
    if (!ending) return
    await ending
      .stop()
      .catch((error: unknown) => log.error({ err: error }, 'a duty of the keeper did not stop cleanly'))
    if (isShared) log.info('this process is no longer the keeper')
  }

  return {
    get duties() {
      return duties
    },
    begin(start) {
      holding = new AbortController()
      const { signal } = holding
      work = work.then(() => beginDuties(start, signal))
      return work
    },
    end() {
      holding.abort()
      work = work.catch(() => undefined).then(endDuties)
      return work
    },
  }
}
