import {
  backfillSlots,
  type MadeBackfill,
  type SlotPeriod,
  slotPeriod,
  withdrawSlots,
} from '../../acts/backfill-slots.ts'
import { type AudienceError, usageError } from '../../core/errors.ts'
import { count } from '../../core/format/figures.ts'
import { type TriggerRef, triggerName } from '../../core/occurrence.ts'
import { shellWord } from '../../core/shell-word.ts'
import type { OccurrenceStore } from '../../state/occurrence-store.ts'
import { withReadableState } from '../../state/with-readable-state.ts'
import type { Schedule } from '../../triggers/schedule/schedule.ts'
import { readTime, timeOf } from '../parse-time.ts'
import { type SignFlags, signedBy } from '../signed.ts'
import type { Terminal } from '../terminal.ts'
import { writeMinute } from '../views/write-time.ts'
import { withState } from '../with-state.ts'
import { type FoundAfter, type FoundSchedule, findSchedules } from './find-schedules.ts'
import { writeSlot } from './occurrence-lines.ts'

export interface BackfillFlags extends SignFlags {
  readonly from: string
  readonly to: string
  readonly onlyMissing?: true
  readonly withdraw?: true
}

const WORDS = { from: '--from', to: '--to' } as const

/** The maximum number of slots of one schedule that are shown. */
const MAX_NAMED = 20

interface Meant {
  readonly schedule: FoundSchedule
  readonly period: SlotPeriod
}

function noSlots(afters: readonly FoundAfter[]): AudienceError {
  const [after] = afters
  return usageError(
    'no-slots',
    `${afters.map(({ ref }) => triggerName(ref)).join(', ')} has no slots: it comes after other pipelines`,
    after && `backfill the pipelines that it comes after, or run it by hand: audience run ${shellWord(after.file)}`,
  )
}

/** Makes the slots of a period due; with `withdraw`, skips those that are due. */
export async function backfillSchedules(name: string, flags: BackfillFlags, terminal: Terminal): Promise<number> {
  const [from, to] = [readTime(flags.from, WORDS.from), readTime(flags.to, WORDS.to)]
  const found = await findSchedules(name, terminal, { mayBeRemoved: flags.withdraw === true })
  const { settings, schedules, afters, removedIn } = found
  const removed = flags.withdraw
    ? await withReadableState(settings, terminal.surroundings, ({ occurrences }) => removedIn(occurrences))
    : []
  if (schedules.length + removed.length === 0) throw noSlots(afters)
  const now = terminal.surroundings.clock.now()
  const periodOf = (zone: Zone) => {
    // Each schedule uses its own clock: a day in New York is not the same as a day in Tokyo.
    const ends = { from: timeOf(zone, from), to: timeOf(zone, to) }
    return slotPeriod(ends, now, WORDS)
  }
  const meant = schedules.map((schedule) => ({ schedule, period: periodOf(schedule) }))
  const open = <T>(act: (occurrences: OccurrenceStore) => Promise<T>) =>
    withState(terminal, ({ occurrences }) => act(occurrences), settings)
  if (!flags.withdraw) return open((occurrences) => backfill(meant, flags, occurrences, terminal))
  const withdrawn = [
    ...meant.map(({ schedule, period }) => ({ ref: schedule.ref, period, write: writerOf(schedule) })),
    ...removed.map((ref) => ({ ref, period: periodOf(UTC), write: writeMinute })),
  ]
  return open((occurrences) => withdraw(withdrawn, flags, occurrences, terminal))
}

type Zone = Pick<Schedule, 'startOfDay' | 'instantOf'>

/** The clock for a schedule whose document is gone, because its time zone was in the document. */
const UTC: Zone = { startOfDay: (day) => Date.parse(day), instantOf: (local) => Date.parse(`${local}Z`) }

async function backfill(
  meant: readonly Meant[],
  flags: BackfillFlags,
  occurrences: OccurrenceStore,
  terminal: Terminal,
): Promise<number> {
  const options = { onlyMissing: flags.onlyMissing === true, actor: signedBy(flags, terminal) }
  const done = await backfillSlots(meant, options, { occurrences, clock: terminal.surroundings.clock })
  for (const { schedule, backfill: made } of done) {
    terminal.out.write(`${describe(schedule, made)}${await paused(schedule, occurrences)}\n`)
    const times = made.due.map(({ at }) => at)
    writeSlots(writerOf(schedule), times, terminal)
  }
  if (done.some(({ backfill: { due } }) => due.length > 0))
    terminal.out.write('`audience start` runs them, oldest first; `audience schedule list` shows their outcomes\n')
  return 0
}

async function withdraw(
  meant: readonly { ref: TriggerRef; period: SlotPeriod; write: WriteSlot }[],
  flags: BackfillFlags,
  occurrences: OccurrenceStore,
  terminal: Terminal,
): Promise<number> {
  const actor = signedBy(flags, terminal)
  for (const { ref, period, write } of meant) {
    const due = await withdrawSlots(ref, { period, actor }, { occurrences })
    terminal.out.write(
      `${triggerName(ref)}: ${count(due.length, 'slot')} that ${due.length === 1 ? 'was' : 'were'} due will not run\n`,
    )
    writeSlots(write, due.toReversed(), terminal)
  }
  return 0
}

type WriteSlot = (at: number) => string

function writerOf(schedule: Schedule): WriteSlot {
  return (at) => writeSlot(schedule, at)
}

/** Shows slots, so that a person notices a wrong day immediately. */
function writeSlots(write: WriteSlot, slots: readonly number[], { out }: Terminal): void {
  const shown = slots.length > MAX_NAMED ? slots.slice(0, MAX_NAMED - 1) : slots
  for (const at of shown) out.write(`  ${write(at)}\n`)
  const last = slots.at(-1)
  if (shown.length < slots.length && last !== undefined) {
    out.write(`  and ${slots.length - shown.length} more, the last one ${write(last)}\n`)
  }
}

function describe({ ref }: FoundSchedule, { due, waiting, ran, excluded, taken }: MadeBackfill): string {
  const facts = [
    `${count(due.length, 'slot is', 'slots are')} due now`,
    ...(taken > 0 ? [`another process took ${count(taken, 'slot')} at the same moment`] : []),
    ...(waiting > 0 ? [`${count(waiting, 'was', 'were')} already due`] : []),
    ...(ran > 0 ? [`${count(ran, 'has', 'have')} a run`] : []),
    ...(excluded > 0 ? [`${count(excluded, 'is', 'are')} on excluded days`] : []),
  ]
  return `${triggerName(ref)}: ${facts.join(', ')}`
}

async function paused({ ref }: FoundSchedule, occurrences: OccurrenceStore): Promise<string> {
  const isPaused = (await occurrences.memory(ref))?.pausedAt !== undefined
  return isPaused ? `; it is paused: they wait until \`audience schedule resume ${triggerName(ref)}\`` : ''
}
