import type { StepContext } from '../../core/engine.ts'
import type { Json } from '../../core/json.ts'

/**
 * Records a value before an action that must not happen twice. If `isFresh` is false, the value was recorded earlier,
 * and the action may already have happened.
 */
export async function recordOnce<T extends Json>(
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
