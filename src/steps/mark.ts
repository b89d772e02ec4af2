import type { StepContext } from '../core/engine.ts'
import type { Json } from '../core/json.ts'

/**
 * Records a value before something that must not happen twice. `isFresh` is false when it was recorded before: what it
 * announces may have happened then.
 */
export async function mark<T extends Json>(
  context: StepContext,
  name: string,
  effect: (signal: AbortSignal) => Promise<T>,
): Promise<{ readonly value: T; readonly isFresh: boolean }> {
  let isFresh = false
  const value = await context.once(name, async (signal) => {
    const effected = await effect(signal)
    isFresh = true
    return effected
  })
  return { value, isFresh }
}
