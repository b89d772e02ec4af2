import { DAY_MS } from '../../core/duration.ts'
import { nextLocalTime } from './next-local-time.ts'
import type { Cron } from './read-cron.ts'
import type { Stretch, TimeZone } from './time-zone.ts'

/** What determines the times of a schedule. */
export interface SlotRule {
  readonly cron: Cron
  readonly zone: TimeZone
  /** The default is `twice` for an interval and `once` for fixed times. */
  readonly repeatedHour?: 'once' | 'twice' | undefined
}

/** Clock changes further away than this neither add nor remove a slot: gaps and repeated times are shorter. */
const FAR_MS = 3 * DAY_MS
/** The end of the year 9999. */
const END_OF_TIME = 253_402_300_799_999

/**
 * The slots of a schedule after an instant, in milliseconds since 1970, in order, each once. When clocks change, fixed
 * times run once: the times skipped have one slot, at the first instant after the gap, and a time that occurs twice has
 * one slot, at its first occurrence. An interval follows the clock: the times skipped have no slot, and a time that
 * occurs twice has two.
 */
export function* slotsAfter(rule: SlotRule, afterMs: number): Generator<number, void, undefined> {
  const { cron, zone } = rule
  let at = afterMs + 1
  while (at <= END_OF_TIME) {
    const stretch = zone.stretchAt(at)
    yield* slotsWithin(rule, stretch, at)
    // Starts a day earlier, because clocks that go back at midnight repeat the end of the day before.
    const next = nextLocalTime(cron, stretch.to + stretch.offsetMs - DAY_MS) - stretch.offsetMs
    at = next - stretch.to > FAR_MS ? next - 2 * DAY_MS : stretch.to
  }
}

function* slotsWithin({ cron, repeatedHour }: SlotRule, stretch: Stretch, from: number): Generator<number> {
  const { offsetMs, offsetBeforeMs } = stretch
  let at = from
  if (!cron.isInterval && at === stretch.from && offsetMs > offsetBeforeMs) {
    if (nextLocalTime(cron, at + offsetBeforeMs) <= at + offsetMs) {
      yield at
      at++
    }
  }
  if ((repeatedHour ?? (cron.isInterval ? 'twice' : 'once')) === 'once') at = Math.max(at, stretch.repeatsUntil)
  for (;;) {
    const slot = nextLocalTime(cron, at + offsetMs) - offsetMs
    if (slot >= stretch.to) return
    yield slot
    at = slot + 1
  }
}

/**
 * The times on the clock that a slot stands for, one for each day, as local milliseconds: more than one day, or a day other than
 * that of the slot itself, if it stands for times in a gap.
 */
export function timesOfSlot({ cron, zone }: SlotRule, slotMs: number): readonly [number, ...number[]] {
  const { from, offsetMs, offsetBeforeMs } = zone.stretchAt(slotMs)
  const shown = slotMs + offsetMs
  if (cron.isInterval || slotMs !== from) return [shown]
  const times: number[] = []
  let at = nextLocalTime(cron, slotMs + offsetBeforeMs)
  while (at <= shown) {
    times.push(at)
    at = nextLocalTime(cron, (Math.floor(at / DAY_MS) + 1) * DAY_MS)
  }
  const [first = shown, ...more] = times
  return [first, ...more]
}
