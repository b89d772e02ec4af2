import { DAY_MS } from '../../core/duration.ts'
import { count } from '../../core/format/figures.ts'
import { isoTime } from '../../core/iso-time.ts'
import { byTrigger, triggerName } from '../../core/occurrence.ts'
import { jsonLine, printable } from '../../core/printable.ts'
import type { ListedOccurrence, TriggerSummary } from '../../state/occurrence-store.ts'
import type { ReadableState } from '../../state/state.ts'
import { withReadableState } from '../../state/with-readable-state.ts'
import { comingSlots } from '../../triggers/schedule/coming-slots.ts'
import type { Terminal } from '../terminal.ts'
import { outcomesText } from '../views/outcomes.ts'
import { type Style, styleFor } from '../views/style.ts'
import { writeTime } from '../views/write-time.ts'
import { type FoundSchedule, findSchedules, type OtherSchedule } from './find-schedules.ts'
import { afterLines, lookUpAfters } from './list-afters.ts'
import { lookUpRemoved, removedLines } from './list-removed.ts'
import { DAYS, describeOutcome, localTimestamp, outcomeCountsOf, outcomeJson, writeSlot } from './occurrence-lines.ts'

export interface ScheduleListFlags {
  readonly count: number
  readonly json?: true
  readonly profile?: string
}

interface Listed {
  readonly schedule: FoundSchedule
  readonly pausedAt: number | undefined
  readonly next: number | undefined
  /** Why the next slot is not known. */
  readonly problem: string | undefined
  /** The last slot whose time has come. If the clock of a process was ahead, later slots may already be decided. */
  readonly last: ListedOccurrence | undefined
  readonly slots: readonly ListedOccurrence[]
  /** Whether there are older slots. */
  readonly isCut: boolean
  readonly summary: TriggerSummary | undefined
}

/**
 * Prints the schedules, and the triggers that start runs after other pipelines. For a given name, also prints the
 * latest slots.
 */
export async function listSchedules(
  name: string | undefined,
  flags: ScheduleListFlags,
  terminal: Terminal,
): Promise<number> {
  const found = await findSchedules(name, terminal, { ...flags, mayBeRemoved: true })
  const { settings, schedules, afters, others } = found
  const now = terminal.surroundings.clock.now()
  const limit = name === undefined ? 1 : flags.count
  const here = { profile: settings.profileName }
  const lookUpAll = async (state: ReadableState) => ({
    listed: await lookUp(state, schedules, { now, limit }),
    following: await lookUpAfters(state, afters, { now, limit }),
    removed: await lookUpRemoved(state, await found.removedIn(state.occurrences), limit),
  })
  const { listed, following, removed } = await withReadableState(
    { ...settings, here },
    terminal.surroundings,
    lookUpAll,
  )
  const style = styleFor(terminal.out)
  const lines = listed.flatMap((one) => {
    if (name === undefined) return flags.json ? [jsonLine(plain(one))] : [...overview(one, style), '']
    if (flags.json) return one.slots.map((slot) => jsonLine(plainSlot(one, slot)))
    const more = one.isCut ? [`  ${style('dim', `older slots are not shown: -n ${10 * limit} shows more`)}`] : []
    return [...overview(one, style), ...one.slots.map((slot) => `  ${slotLine(one, slot, style)}`), ...more, '']
  })
  lines.push(...following.flatMap((one) => afterLines(one, { isNamed: name !== undefined, json: flags.json }, style)))
  lines.push(...removed.flatMap((one) => removedLines(one, { isNamed: name !== undefined, json: flags.json }, style)))
  if (name === undefined) lines.push(...others.flatMap((one) => otherLines(one, flags, style)))
  for (const line of lines.at(-1) === '' ? lines.slice(0, -1) : lines) terminal.out.write(`${line}\n`)
  if (schedules.length + afters.length + others.length + removed.length === 0 && !flags.json)
    terminal.out.write(`no schedules in ${printable(settings.pipelines)}\n`)
  return 0
}

async function lookUp(
  { occurrences }: ReadableState,
  schedules: readonly FoundSchedule[],
  { now, limit }: { now: number; limit: number },
): Promise<Listed[]> {
  const memoryOf = byTrigger(await occurrences.memories())
  const summaryOf = byTrigger(await occurrences.summary(now - DAYS * DAY_MS))
  const listOne = async (schedule: FoundSchedule): Promise<Listed> => {
    const { pausedAt } = memoryOf(schedule.ref) ?? {}
    const slots = await occurrences.list({ ...schedule.ref, limit: limit + 1 })
    const [last] = await occurrences.list({ ...schedule.ref, to: now + 1, limit: 1 })
    return {
      schedule,
      pausedAt,
      last,
      slots: slots.slice(0, limit),
      isCut: slots.length > limit,
      ...(pausedAt === undefined ? nextOf(schedule, now) : { next: undefined, problem: undefined }),
      summary: summaryOf(schedule.ref),
    }
  }
  return Promise.all(schedules.map(listOne))
}

function nextOf(schedule: FoundSchedule, now: number): Pick<Listed, 'next' | 'problem'> {
  const { slots, problem } = comingSlots(schedule, { after: now, limit: 1 })
  return { next: slots[0]?.at, problem: problem?.message }
}

function overview({ schedule, pausedAt, next, problem, last, summary }: Listed, style: Style): string[] {
  return [
    `${style('bold', triggerName(schedule.ref))}  ${printable(schedule.trigger.cron)}  ${schedule.trigger.timezone}`,
    ...(pausedAt === undefined ? [] : [`  ${style('yellow', `paused since ${writeTime(pausedAt)}`)}`]),
    ...(next === undefined ? [] : [`  next  ${writeSlot(schedule, next)}`]),
    ...(problem === undefined ? [] : [`  next  ${style('red', `not known: ${printable(problem)}`)}`]),
    `  last  ${last ? `${writeSlot(schedule, last.at)}  ${describeOutcome(last, style)}` : 'none yet'}`,
    ...(summary
      ? [`  ${count(DAYS, 'day')}  ${outcomesText({ ...summary, ...summary.recent, outcomes: summary.runs })}`]
      : []),
  ]
}

/**
 * A schedule of another profile. It is shown without slots, because their outcomes under that profile are not known
 * here.
 */
function otherLines({ ref, trigger, file }: OtherSchedule, { json }: ScheduleListFlags, style: Style): string[] {
  const { cron, timezone, profiles = [] } = trigger
  if (json) return [jsonLine({ ...ref, file, cron, timezone, profiles })]
  return [
    `${style('bold', triggerName(ref))}  ${printable(cron)}  ${timezone}`,
    `  ${style('dim', `starts no run here: only under ${printable(profiles.join(', '))}`)}`,
    '',
  ]
}

function slotLine({ schedule }: Listed, slot: ListedOccurrence, style: Style): string {
  const again = /#(\d+)$/.exec(slot.key)
  return `${writeSlot(schedule, slot.at)}  ${describeOutcome(slot, style)}${again ? style('dim', `  backfill ${again[0]}`) : ''}`
}

/** The names are a contract: other programs use them. */
function plain({ schedule, pausedAt, next, last, summary }: Listed) {
  const { cron, timezone } = schedule.trigger
  return {
    ...schedule.ref,
    file: schedule.file,
    cron,
    timezone,
    profiles: schedule.trigger.profiles,
    pausedSince: isoTime(pausedAt),
    next: isoTime(next),
    last: last && outcomeJson(last),
    counts: outcomeCountsOf(summary),
    outcomes: summary?.runs ?? {},
  }
}

function plainSlot({ schedule }: Listed, slot: ListedOccurrence) {
  return { ...schedule.ref, key: slot.key, local: localTimestamp(schedule, slot.at), ...outcomeJson(slot) }
}
