import { formatDuration } from '../../core/format/duration-text.ts'
import { triggerName } from '../../core/occurrence.ts'
import type { ScheduleChange, SimulatedSchedule, SimulatedSlot } from './simulation-schema.ts'
import { EXCLUDED, PROBLEM_KINDS } from './simulation-schema.ts'

/** The differences between the schedules at a base and the current ones. Equal ones are left out. Pure. */
export function compareSimulations(
  before: readonly SimulatedSchedule[],
  after: readonly SimulatedSchedule[],
): readonly ScheduleChange[] {
  const [old, now] = [before, after].map((all) => new Map(all.map((one) => [triggerName(one), one]))) as [
    Map<string, SimulatedSchedule>,
    Map<string, SimulatedSchedule>,
  ]
  const names = [...new Set([...old.keys(), ...now.keys()])].sort()
  return names.flatMap((name) => changeOf(old.get(name), now.get(name)) ?? [])
}

function changeOf(
  before: SimulatedSchedule | undefined,
  after: SimulatedSchedule | undefined,
): ScheduleChange | undefined {
  const { pipeline, trigger } = after ?? before ?? {}
  if (pipeline === undefined || trigger === undefined) return undefined
  const slots = compareSlots(before?.list ?? [], after?.list ?? [])
  const figures = before && after ? compareFigures(before, after) : figuresOf(after)
  const isSame = [...Object.values(slots), figures].every(({ length }) => length === 0)
  if (before && after && isSame) return undefined
  return { pipeline, trigger, state: before ? (after ? 'changed' : 'gone') : 'added', ...slots, figures }
}

function compareSlots(
  before: readonly SimulatedSlot[],
  after: readonly SimulatedSlot[],
): Pick<ScheduleChange, 'moved' | 'added' | 'gone'> {
  const [old, now] = [timesByDate(before), timesByDate(after)]
  const moved = new Tally()
  const added = new Tally()
  const gone = new Tally()
  for (const date of [...new Set([...old.keys(), ...now.keys()])].sort()) {
    const [left, come] = without(old.get(date) ?? [], now.get(date) ?? [])
    const pairs = Math.min(left.length, come.length)
    for (let at = 0; at < pairs; at++) moved.add(`${left[at]} ${come[at]}`, date)
    for (const time of left.slice(pairs)) gone.add(time, date)
    for (const time of come.slice(pairs)) added.add(time, date)
  }
  return {
    moved: moved.list().map(({ time, ...rest }) => {
      const [from = '', to = ''] = time.split(' ')
      return { from, to, ...rest }
    }),
    added: added.list(),
    gone: gone.list(),
  }
}

/** For each day, the times of its slots on the clock. Times in a repeated hour include their offset. */
function timesByDate(slots: readonly SimulatedSlot[]): ReadonlyMap<string, readonly string[]> {
  const times = new Map<string, string[]>()
  for (const { date, local, fate, why } of slots) {
    if (fate === 'leftOut' && why === EXCLUDED) continue
    const [, time = '', offset = ''] = local.split(' ')
    const all = times.get(date) ?? []
    all.push(all.includes(time) ? `${time}${offset}` : time)
    times.set(date, all)
  }
  return times
}

/** Both lists, without the items that are in both. */
function without(before: readonly string[], after: readonly string[]): readonly [readonly string[], readonly string[]] {
  const [old, now] = [new Set(before), new Set(after)]
  return [before.filter((time) => !now.has(time)), after.filter((time) => !old.has(time))]
}

/** On how many days something happens, and the first of them. */
class Tally {
  readonly #days = new Map<string, { days: number; readonly first: string }>()

  add(time: string, date: string): void {
    const known = this.#days.get(time)
    if (known) known.days += 1
    else this.#days.set(time, { days: 1, first: date })
  }

  list(): { time: string; days: number; first: string }[] {
    return [...this.#days].map(([time, { days, first }]) => ({ time, days, first }))
  }
}

type Figures = Pick<SimulatedSchedule, 'fates' | 'latestEnd' | 'longestWait'>

/** A smaller difference does not count, because any change to a document moves polls and turns by seconds. */
const DIFFERS_FROM_MS = 60_000

function compareFigures(before: Figures, after: Figures): ScheduleChange['figures'] {
  const counts = PROBLEM_KINDS.map((what) => ({
    what,
    before: String(before.fates[what] ?? 0),
    after: String(after.fates[what] ?? 0),
  })).filter((one) => one.before !== one.after)
  const times = [
    {
      what: 'latestEnd',
      differs: differ(endMs(before), endMs(after)),
      before: endOf(before),
      after: endOf(after),
    },
    {
      what: 'longestWait',
      differs: differ(before.longestWait?.waitedMs ?? 0, after.longestWait?.waitedMs ?? 0),
      before: waitOf(before),
      after: waitOf(after),
    },
  ]
  return [...counts, ...times.flatMap(({ differs, ...figure }) => (differs ? [figure] : []))]
}

function differ(before: number | undefined, after: number | undefined): boolean {
  if (before === undefined || after === undefined) return before !== after
  return Math.abs(before - after) >= DIFFERS_FROM_MS
}

/**
 * The figure that is compared for the latest end: how far that end is from the deadline or, without a deadline, from
 * the slot.
 */
function endMs({ latestEnd }: Figures): number | undefined {
  return latestEnd && (latestEnd.marginMs ?? latestEnd.afterMs)
}

function endOf({ latestEnd }: Figures): string {
  return latestEnd ? endText(latestEnd) : 'none'
}

function waitOf({ longestWait }: Figures): string {
  return longestWait ? formatDuration(longestWait.waitedMs) : 'none'
}

/** The problems with a schedule that is new. */
function figuresOf(after: Figures | undefined): ScheduleChange['figures'] {
  return after ? compareFigures({ fates: {} }, after) : []
}

/**
 * When a run ended, and how far that is from its deadline: `04:12, 1 h 48 min before the deadline`; without a deadline,
 * from its slot.
 */
export function endText({ endedAt, afterMs, marginMs }: NonNullable<Figures['latestEnd']>): string {
  const [, time = ''] = endedAt.split(' ')
  if (marginMs === undefined) return `${time}, ${formatDuration(afterMs)} after its slot`
  const far = formatDuration(Math.abs(marginMs))
  return `${time}, ${far} ${marginMs < 0 ? 'after' : 'before'} the deadline`
}
