import { setImmediate } from 'node:timers/promises'

/**
 * Lets callers go on one after the other, each in a turn of the event loop of its own. So requests that arrive together
 * hold up the other work of this process one by one, and not all together.
 */
export function createTurns(): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve()
  return async () => {
    last = last.then(() => setImmediate())
    await last
  }
}
