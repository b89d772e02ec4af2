import { type Clock, look } from './clock.ts'
import { isStateAway } from './is-state-away.ts'
import { messageOf } from './message-of.ts'

/**
 * Does work again and again until the signal aborts, with a rest of `everyMs` after each time. `failed` gets each
 * error, except if the previous time failed with the same message, or if the database of the state cannot be reached.
 */
export async function repeat(
  work: () => void | Promise<void>,
  {
    clock,
    firstMs,
    everyMs,
    dueMs = everyMs,
    signal,
    failed,
  }: {
    clock: Clock
    /** How long to rest before the work is done for the first time. */
    firstMs?: number
    everyMs: number
    /** The time until there is something to do, if it is known: see `look`. */
    dueMs?: number
    signal: AbortSignal
    failed: (error: unknown) => void
  },
): Promise<void> {
  let last: string | undefined
  if (firstMs !== undefined) await look(clock, firstMs, signal, firstMs)
  while (!signal.aborted) {
    try {
      await work()
      last = undefined
    } catch (error) {
      const problem = messageOf(error)
      if (problem !== last && !isStateAway(error)) failed(error)
      last = problem
    }
    await look(clock, everyMs, signal, dueMs)
  }
}
