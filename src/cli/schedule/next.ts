import { formatDuration } from '../../core/format/duration-text.ts'
import { isoTime } from '../../core/iso-time.ts'
import { byTrigger, triggerName } from '../../core/occurrence.ts'
import { printable } from '../../core/printable.ts'
import { withReadableState } from '../../state/with-readable-state.ts'
import { type ComingSlot, comingSlots } from '../../triggers/schedule/coming-slots.ts'
import { readTime, timeOf } from '../parse-time.ts'
import type { Terminal } from '../terminal.ts'
import { styleFor } from '../views/style.ts'
import { writeFitted } from '../views/text-width.ts'
import { writeMinute, writeTime } from '../views/write-time.ts'
import { type FoundSchedule, findSchedules } from './find-schedules.ts'
import { localTimestamp } from './occurrence-lines.ts'

export interface NextFlags {
  readonly count: number
  readonly after?: string
  readonly json?: true
  readonly profile?: string
}

/** Prints the next slots of all schedules, or of those with a given name, in order. */
export async function showNext(name: string | undefined, flags: NextFlags, terminal: Terminal): Promise<number> {
  const typed = flags.after === undefined ? undefined : readTime(flags.after, '--after')
  const { settings, schedules } = await findSchedules(name, terminal, flags)
  const memories = await withReadableState(settings, terminal.surroundings, ({ occurrences }) => occurrences.memories())
  const memoryOf = byTrigger(memories)
  const now = terminal.surroundings.clock.now()
  const found = schedules.flatMap((schedule) => {
    const after = typed ? timeOf(schedule, typed) : now
    const { pausedAt } = memoryOf(schedule.ref) ?? {}
    if (pausedAt !== undefined) {
      writeFitted(terminal.err, pausedText(triggerName(schedule.ref), pausedAt))
      return []
    }
    const { slots, problem } = comingSlots(schedule, { after, limit: flags.count })
    if (problem) writeFitted(terminal.err, printable(`${triggerName(schedule.ref)} is left out: ${problem.message}`))
    return slots
  })
  const slots = found.sort((a, b) => a.at - b.at).slice(0, flags.count)
  const lines = flags.json ? slots.map((slot) => JSON.stringify(plain(slot))) : table(slots, styleFor(terminal.out))
  for (const line of lines) terminal.out.write(`${line}\n`)
  if (slots.length === 0 && !flags.json) terminal.out.write('no slots\n')
  return 0
}

/** The slots of a paused schedule are skipped, so it has no next slot. */
function pausedText(name: string, pausedAt: number): string {
  return `${name} is left out: it has been paused since ${writeTime(pausedAt)}; audience schedule resume ${name}`
}

/** The names are a contract: other programs use them. */
function plain({ schedule, at }: ComingSlot<FoundSchedule>) {
  const startsAt = schedule.startOf(at)
  return {
    ...schedule.ref,
    at: isoTime(at),
    local: localTimestamp(schedule, at),
    timezone: schedule.trigger.timezone,
    startsAt: startsAt === at ? undefined : isoTime(startsAt),
  }
}

function table(slots: readonly ComingSlot<FoundSchedule>[], style: ReturnType<typeof styleFor>): string[] {
  const rows = slots.map(({ schedule, at }) => {
    const { date, time } = schedule.localTime(at)
    const startsAt = schedule.startOf(at)
    const notes = startsAt === at ? '' : `starts ${formatDuration(startsAt - at)} later`
    const cells = [`${date} ${time} ${schedule.trigger.timezone}`, writeMinute(at), triggerName(schedule.ref)]
    return { cells, notes }
  })
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map(({ cells }) => cells[column]?.length ?? 0)))
  return rows.map(({ cells, notes }) => {
    const padded = cells.map((cell, column) => cell.padEnd(widths[column] ?? 0))
    return `${padded.join('  ')}${notes && `  ${style('dim', notes)}`}`.trimEnd()
  })
}
