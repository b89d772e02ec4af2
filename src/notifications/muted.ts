import { HOUR_MS } from '../core/duration.ts'
import { isLike } from '../core/is-like.ts'
import type { Mute } from '../state/mutes.ts'

/** Whether a pipeline is muted at an instant. */
export function isMuted(mutes: readonly Mute[], pipeline: string, nowMs: number): boolean {
  return mutes.some(({ pipelines, since, until }) => since <= nowMs && nowMs < until && isLike(pipeline, pipelines))
}

/** A question may be noticed this late, because another process may have had to take over. */
const LOOKED_AT_WITHIN_MS = HOUR_MS

/** Whether a mute that has ended may have held back a question asked at `at`. */
export function wasMuted(
  mutes: readonly Mute[],
  { pipeline, at }: { pipeline: string; at: number },
  nowMs: number,
): boolean {
  return mutes.some(
    ({ pipelines, since, until }) =>
      since - LOOKED_AT_WITHIN_MS <= at && at < until && until <= nowMs && isLike(pipeline, pipelines),
  )
}
