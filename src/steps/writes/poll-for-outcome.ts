import { ApiError } from '../../adapter/api-error.ts'
import { ListError } from '../../adapter/list-error.ts'
import type { SteadyClock } from '../../core/clock.ts'
import { pollDelay } from '../../core/delays.ts'
import type { Finding } from './reconciler.ts'

/** How the polling ended; `unreachable` if the service could not be read. */
export type Conclusion = Finding | { readonly state: 'unreachable'; readonly error: ApiError | ListError }

/** All times in milliseconds. */
export interface LookLimits {
  /** How long after the first successful read an effect that is not visible yet may still appear. */
  readonly windowMs: number
  /** How long work in progress may take. */
  readonly maxWaitMs: number
  /**
   * Whether the write has taken effect, or probably has. If so, an effect that is not visible has merely not appeared
   * yet.
   */
  readonly isApplied: boolean
}

const DELAYS = { shortestMs: 500, longestMs: 30_000 } as const
/** How long the service may be unreadable before the step asks a person. */
const UNREADABLE_MS = 600_000

/**
 * Polls with growing delays until the outcome of the write is known or cannot be known. If the write took effect but
 * nothing shows it, makes a last check with `isWide`.
 */
export async function pollForOutcome(
  look: (how: { isWide: boolean }) => Promise<Finding>,
  limits: LookLimits,
  deps: { clock: SteadyClock; signal: AbortSignal },
): Promise<Conclusion> {
  const conclusion = await pollNear(() => look({ isWide: false }), limits, deps)
  if (conclusion.state !== 'notVisible' || !limits.isApplied) return conclusion
  const wide = await lookOnce(() => look({ isWide: true }), deps.signal)
  return wide.state === 'unreachable' ? conclusion : wide
}

async function pollNear(
  look: () => Promise<Finding>,
  limits: LookLimits,
  { clock, signal }: { clock: SteadyClock; signal: AbortSignal },
): Promise<Conclusion> {
  const startedAt = clock.steady()
  let readAt: number | undefined
  for (;;) {
    const conclusion = await lookOnce(look, signal)
    const now = clock.steady()
    if (conclusion.state !== 'unreachable') readAt ??= now
    const restMs = maxWaitFor(conclusion, limits) - (now - (readAt ?? startedAt))
    if (restMs <= 0) return conclusion
    await clock.sleep(Math.min(pollDelay(now - startedAt, DELAYS), restMs), signal)
  }
}

async function lookOnce(look: () => Promise<Finding>, signal: AbortSignal): Promise<Conclusion> {
  try {
    return await look()
  } catch (error) {
    const isUnreadable = error instanceof ApiError || error instanceof ListError
    if (signal.aborted || !isUnreadable) throw error
    return { state: 'unreachable', error }
  }
}

function maxWaitFor({ state }: Conclusion, { windowMs, maxWaitMs, isApplied }: LookLimits): number {
  switch (state) {
    case 'done':
    case 'ambiguous':
      return 0
    case 'notDone':
      return isApplied ? windowMs : 0
    case 'notVisible':
      return windowMs
    case 'inProgress':
      return maxWaitMs
    case 'unreachable':
      return UNREADABLE_MS
  }
}
