import type { Logger } from 'pino'
import type { Exchange } from '../../adapter/transport.ts'
import type { Clock } from '../../core/clock.ts'

/** Whether the service could be reached the last time that it was looked at. */
export interface ServiceSight {
  /** Takes note of what became of a request, so that a busy daemon need not ask on its own. */
  onExchange(exchange: Exchange): void
  /** Why the service is not reachable as far as is known; undefined when it is. */
  reason(): string | undefined
  /** A question that is under way is not waited for: whoever closes the client ends it. */
  stop(): void
}

/** How often it is asked at rest, and while it does not answer, in milliseconds. */
const LOOK_EVERY_MS = 60_000
const LOOK_AGAIN_MS = 10_000

/** Refusals that only a service which is there and lets us in gives. */
const ANSWERS: ReadonlySet<Exchange['code']> = new Set(['not-found', 'rate-limited', 'rejected'])

/**
 * Looks at the service now, and from then on whenever nothing else has for a minute. `reach` rejects when the service
 * cannot be reached or refuses access. What is said of an unreachable service is logged when it changes.
 */
export function watchService(means: {
  readonly reach: () => Promise<unknown>
  readonly clock: Clock
  readonly log: Logger
}): ServiceSight {
  const { reach, clock, log } = means
  const stopping = new AbortController()
  let reason: string | undefined = 'it has not been looked at yet'
  let answeredSinceLook = false

  function note(next: string | undefined): void {
    if (next === reason) return
    if (next === undefined) log.info('the service can be reached')
    else log.warn({ reason: next }, 'the service cannot be reached')
    reason = next
  }

  async function look(): Promise<void> {
    try {
      await reach()
      note(undefined)
    } catch (error) {
      if (!stopping.signal.aborted) note(error instanceof Error ? error.message : String(error))
    }
  }

  async function keepLooking(): Promise<void> {
    while (!stopping.signal.aborted) {
      if (!answeredSinceLook || reason !== undefined) await look()
      answeredSinceLook = false
      await clock.sleep(reason === undefined ? LOOK_EVERY_MS : LOOK_AGAIN_MS, stopping.signal).catch(() => undefined)
    }
  }
  void keepLooking()

  return {
    onExchange({ code }) {
      // What is no proof of an answer proves nothing: an upload can break off for reasons of its own. `look` finds out.
      if (code !== undefined && !ANSWERS.has(code)) return
      answeredSinceLook = true
      note(undefined)
    },
    reason: () => reason,
    stop() {
      stopping.abort()
    },
  }
}
