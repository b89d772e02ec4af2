import { count } from '../../core/format/figures.ts'
import { utcMinute } from '../../core/format/time-text.ts'
import { triggerName } from '../../core/occurrence.ts'
import { endText } from '../../rehearsal/simulation/compare-simulations.ts'
import {
  PROBLEM_KINDS,
  type ScheduleChange,
  type SimulatedSchedule,
  type Simulation,
} from '../../rehearsal/simulation/simulation-schema.ts'

const BECAUSE = {
  first: 'the first',
  clockChange: 'clocks change',
  fullest: 'the most slots',
  all: 'all',
} as const satisfies Record<Simulation['lived'][number]['why'], string>

/** A sentence that says which days were run in full. */
export function livedText({ lived, schedules }: Simulation): string {
  if (lived.length === 0) return 'No day was run: there are no slots.'
  const isAll = lived.every(({ why }) => why === 'all')
  if (isAll) return `Run in full: all ${count(lived.length, 'day')} with slots.`
  const days = lived.map(({ date, why }) => `${date} (${BECAUSE[why]})`)
  const slots = schedules.reduce((sum, one) => sum + one.lived, 0)
  return `Run in full: ${days.join(', ')}; ${count(slots, 'slot')}. ${tooManyText(schedules)}For other days, only the slots are known: --exact runs all days.`
}

/**
 * Which schedules were run for only a part of these days: `Not run at the end of these days, because there were too
 * many: 1,140 slots of a/each-minute.`; '' if there are none.
 */
function tooManyText(schedules: Simulation['schedules']): string {
  const most = schedules
    .flatMap((one) => (one.tooMany === undefined ? [] : [{ name: triggerName(one), tooMany: one.tooMany }]))
    .toSorted((a, b) => b.tooMany - a.tooMany)
  if (most.length === 0) return ''
  const rest = most.length - MOST_NAMED
  const named = most.slice(0, MOST_NAMED).map(({ name, tooMany }) => `${count(tooMany, 'slot')} of ${name}`)
  const more = rest > 0 ? ` and of ${count(rest, 'more schedule')}` : ''
  return `Not run at the end of these days, because there were too many: ${named.join(', ')}${more}. `
}

export function headText({ from, days, schedules, service, lists }: Simulation): string {
  const slots = schedules.reduce((sum, one) => sum + one.slots, 0)
  const what = `${count(schedules.length, 'schedule')}, ${count(slots, 'slot')}`
  return `${count(days, 'day')} from ${from}: ${what}. Service: ${service}, lists: ${lists}.`
}

/** The slots that do not go as planned: `2 late, 1 skipped`; '' if there are none. */
export function problemsText({ fates, lived }: Pick<SimulatedSchedule, 'fates' | 'lived'>): string {
  return lived === 0
    ? 'not run'
    : PROBLEM_KINDS.flatMap((kind) => (fates[kind] ? [`${fates[kind]} ${kind}`] : [])).join(', ')
}

/** How many slots have a problem, and when and why it first happens. */
export function problemText({ slots, first, why }: Simulation['problems'][number]): string {
  return `${count(slots, 'slot')}, the first ${first}: ${why}`
}

export function latestText({ latestEnd }: Pick<SimulatedSchedule, 'latestEnd'>): string {
  return latestEnd ? endText(latestEnd) : ''
}

export function peakText({ at, requests, operations, pipelines }: NonNullable<Simulation['peak']>): string {
  const most = (counts: Readonly<Record<string, number>>) => {
    const inOrder = Object.entries(counts).toSorted(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    const rest = inOrder.length - MOST_NAMED
    const named = inOrder.slice(0, MOST_NAMED).map(([name, times]) => `${times} ${name}`)
    return `${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
  }
  const whose = Object.keys(pipelines).length === 0 ? '' : `; by pipeline: ${most(pipelines)}`
  return `${utcMinute(Date.parse(at))}: ${count(requests, 'request')} (${most(operations)})${whose}`
}

const MOST_NAMED = 5

export function queueText({ at, runs }: NonNullable<Simulation['queue']>): string {
  return `${count(runs, 'run')} at ${utcMinute(Date.parse(at))}`
}

/** How the slots of a schedule differ, as lines. */
export function slotChanges({ state, moved, added, gone }: ScheduleChange): readonly string[] {
  const on = ({ days, first }: { days: number; first: string }) =>
    days === 1 ? `on ${first}` : `on ${count(days, 'day')} from ${first}`
  const lines = [
    ...moved.map((one) => `moved ${one.from} → ${one.to} ${on(one)}`),
    ...added.map((one) => `added ${one.time} ${on(one)}`),
    ...gone.map((one) => `gone ${one.time} ${on(one)}`),
  ]
  const rest = lines.length - MOST_LINES
  return [
    ...(state === 'changed' ? [] : [state === 'added' ? 'a new schedule' : 'the schedule is gone']),
    ...lines.slice(0, MOST_LINES),
    ...(rest > 0 ? [`and ${rest} more changes`] : []),
  ]
}

const MOST_LINES = 12

const FIGURES: Readonly<Record<string, string>> = { latestEnd: 'latest end', longestWait: 'longest wait' }

/** How the outcomes of a schedule's slots differ, as lines. */
export function figureChanges({ figures }: ScheduleChange): readonly string[] {
  return figures.map(({ what, before, after }) => `${FIGURES[what] ?? what}: ${before} → ${after}`)
}
