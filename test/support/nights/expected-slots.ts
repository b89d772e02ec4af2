import { localMinutes, slotsByLooking } from '../../triggers/schedule/local-minutes.ts'
import { fieldsOf, type NightSchedule } from './schedules.ts'

const DAY_MS = 86_400_000

/** A stretch of time, in milliseconds since 1970. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** The other events of a month. */
export interface Story extends Span {
  /** When no daemon runs, without the seconds after a kill. */
  readonly downs: readonly Span[]
  /** When a schedule is paused; its slots are run later by a backfill. */
  readonly pause?: Span & { readonly schedule: string }
  /** The time from the slot whose run asks a person until the answer. */
  readonly asked?: Span
}

export interface Outcome {
  readonly state: 'ran' | 'skipped' | 'missed'
  readonly reason?: string
}

/** Every slot of a schedule in the story, with days off, computed with Intl alone. */
export function slotsOf(schedule: NightSchedule, { from, to }: Span): number[] {
  const minutes = localMinutes(schedule.zone, from - 2 * DAY_MS, to)
  return slotsByLooking(fieldsOf(schedule), minutes, schedule.repeatedHour).filter((slot) => slot >= from)
}

export function isOff({ zone, weekdaysOff }: NightSchedule, slot: number): boolean {
  const [[, local] = [0, 0]] = localMinutes(zone, slot, slot + 1)
  return weekdaysOff.includes(new Date(local * 60_000).getUTCDay())
}

/** What must happen to every slot, by its key in the occurrence store. */
export function expectedFates(schedule: NightSchedule, story: Story): Map<string, Outcome> {
  const slots = slotsOf(schedule, story)
  const fates = new Map(slots.map((slot) => [keyOf(slot), fateOf(schedule, slot, slots, story)]))
  const { pause } = story
  if (schedule.name !== pause?.schedule) return fates
  for (const slot of slots.filter((each) => isIn(each, pause))) fates.set(`${keyOf(slot)}#2`, RAN)
  return fates
}

const RAN: Outcome = { state: 'ran' }

function fateOf(schedule: NightSchedule, slot: number, slots: readonly number[], story: Story): Outcome {
  const { pause, asked } = story
  if (schedule.name === pause?.schedule && isIn(slot, pause)) return { state: 'skipped', reason: 'paused' }
  if (isOff(schedule, slot)) return { state: 'skipped', reason: 'excluded' }
  const asks = schedule.does === 'ask' && schedule.overlap === 'skip'
  if (asks && asked && slot > asked.from && slot < asked.to) return { state: 'skipped', reason: 'overlap' }
  const down = story.downs.find((each) => isIn(slot, each))
  if (!down) return RAN
  const { missed, catchupMs } = schedule
  if (missed === 'none') return { state: 'missed', reason: 'down' }
  if (down.to - slot > catchupMs) return { state: 'missed', reason: 'expired' }
  const isLast = !slots.some((later) => later > slot && later < down.to && !isOff(schedule, later))
  return missed === 'all' || isLast ? RAN : { state: 'missed', reason: 'superseded' }
}

export function isIn(at: number, { from, to }: Span): boolean {
  return at >= from && at < to
}

export function keyOf(slot: number): string {
  return new Date(slot).toISOString()
}
