import type { Logger } from 'pino'
import type { Exchange } from '../../adapter/transport.ts'
import type { Clock } from '../../core/clock.ts'
import { messageOf } from '../../core/message-of.ts'

/** How often it checks while the service answers, and while it does not, in milliseconds. */
const LOOK_EVERY_MS = 60_000
const LOOK_AGAIN_MS = 10_000

/** Only a service that can be reached and grants access refuses a request with one of these codes. */
const ANSWERS: ReadonlySet<Exchange['code']> = new Set(['not-found', 'rate-limited', 'rejected'])

/**
 * Checks the service now, and from then on whenever a minute has passed without an answer to another request. `reach`
 * rejects if the service cannot be reached or refuses access. It logs each change in the result.
 */
export function watchService(deps: { reach: () => Promise<unknown>; clock: Clock; log: Logger }) {
  const { reach, clock, log } = deps
  const stopping = new AbortController()
  let reason: string | undefined = 'it has not been checked yet'
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
      if (!stopping.signal.aborted) note(messageOf(error))
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
    /** Notes the outcome of a request, so that a busy daemon does not have to check separately. */
    onExchange({ code }: Exchange) {
      // An unclear result proves nothing: an upload, for example, can fail for its own reasons. The next `look` checks
      // the service.
      if (code !== undefined && !ANSWERS.has(code)) return
      answeredSinceLook = true
      note(undefined)
    },
    /** Why the service is not reachable, as far as is known; undefined if it is reachable. */
    reason: () => reason,
    /** Does not wait for a check in progress: closing the client ends it. */
    stop: () => stopping.abort(),
  }
}
