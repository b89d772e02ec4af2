import type { Settings } from '../../config/settings.ts'
import { AudienceError } from '../../core/errors.ts'
import { count } from '../../core/format/figures.ts'
import { triggerName } from '../../core/occurrence.ts'
import type { Signed } from '../../core/run.ts'
import { systemClock } from '../../platform/clock.ts'
import type { OccurrenceStore } from '../../state/occurrence-store.ts'
import { askedBy, type Backfill, decideBackfill } from '../../triggers/schedule/decide-backfill.ts'
import { backfillDetail, type SlotPeriod, withdrawSlots } from '../../triggers/schedule/withdraw-slots.ts'
import { readTime, type TypedTime, timeOf } from '../parse-time.ts'
import { type SignFlags, signedBy } from '../signed.ts'
import type { Terminal } from '../terminal.ts'
import { withState } from '../with-state.ts'
import { type FoundSchedule, findSchedules } from './find-schedules.ts'
import { writeSlot } from './write-time.ts'

export interface BackfillFlags extends SignFlags {
  readonly from: string
  readonly to: string
  readonly onlyMissing?: true
  readonly withdraw?: true
}

/** The most slots of one schedule that one command makes due. */
const MAX_SLOTS = 10_000

/** The most slots of one schedule that are named. */
const MAX_NAMED = 20

interface Meant {
  readonly schedule: FoundSchedule
  readonly period: SlotPeriod
}

/** Makes the slots of a period due. Writes nothing if one of the schedules has too many. */
export async function backfillSchedules(name: string, flags: BackfillFlags, terminal: Terminal): Promise<number> {
  const now = systemClock.now()
  const [from, to] = [readTime(flags.from, '--from'), readTime(flags.to, '--to')]
  const { settings, schedules } = await findSchedules(name, terminal)
  // Each schedule by its own clock: a day in New York is another one in Tokyo.
  const meant = schedules.map((schedule) => ({ schedule, period: periodOf(schedule, from, to, now) }))
  const signed = signedBy(flags, terminal)
  if (flags.withdraw) return withdraw(meant, { settings, signed }, terminal)
  const isOnlyMissing = flags.onlyMissing === true
  return withState(
    terminal,
    async ({ occurrences }) => {
      const decided: (Meant & { readonly backfill: Backfill })[] = []
      for (const { schedule, period } of meant) {
        const range = { ...period, to: Math.min(period.to, now + 1), onlyMissing: isOnlyMissing, limit: MAX_SLOTS }
        decided.push({ schedule, period, backfill: await decideBackfill(schedule, occurrences, range) })
      }
      for (const { schedule, backfill } of decided) if (backfill.tooMany) throw tooMany(schedule)
      for (const { schedule, period, backfill } of decided) {
        const detail = backfillDetail(period, backfill.due.length)
        const act = { ...signed, act: 'schedule.backfill', detail } as const
        if (backfill.due.length > 0)
          await occurrences.note(schedule.ref, { occurrences: askedBy(backfill.due, signed.by), act })
        terminal.out.write(`${describe(schedule, backfill)}${await paused(schedule, occurrences)}\n`)
        const times = backfill.due.map(({ at }) => at)
        writeSlots(schedule, times, terminal)
      }
      if (decided.some(({ backfill }) => backfill.due.length > 0)) {
        terminal.out.write('`audience start` runs them, oldest first; `audience schedule list` shows their outcomes\n')
      }
      return 0
    },
    settings,
  )
}

function periodOf(schedule: FoundSchedule, first: TypedTime, end: TypedTime, now: number): SlotPeriod {
  const [from, to] = [timeOf(schedule, first), timeOf(schedule, end)]
  if (to <= from) throw badRange('--to is not after --from', 'a slot at the time of --to is not included')
  if (from > now) throw badRange('--from is in the future', 'slots that have not come yet run by themselves')
  return { from, to }
}

/** Skips the slots that are still due. Slots that have a run keep it. */
function withdraw(
  meant: readonly Meant[],
  { settings, signed }: { readonly settings: Settings; readonly signed: Signed },
  terminal: Terminal,
): Promise<number> {
  return withState(
    terminal,
    async ({ occurrences }) => {
      for (const { schedule, period } of meant) {
        const due = await withdrawSlots(occurrences, schedule.ref, { ...period, actor: signed })
        terminal.out.write(
          `${triggerName(schedule.ref)}: ${count(due.length, 'slot')} that ${due.length === 1 ? 'was' : 'were'} due will not run\n`,
        )
        writeSlots(schedule, due.toReversed(), terminal)
      }
      return 0
    },
    settings,
  )
}

/** Names slots, so that a person sees at once if another day was meant. */
function writeSlots(schedule: FoundSchedule, slots: readonly number[], { out }: Terminal): void {
  const shown = slots.length > MAX_NAMED ? slots.slice(0, MAX_NAMED - 1) : slots
  for (const at of shown) out.write(`  ${writeSlot(schedule, at)}\n`)
  const last = slots.at(-1)
  if (shown.length < slots.length && last !== undefined) {
    out.write(`  and ${slots.length - shown.length} more, the last one ${writeSlot(schedule, last)}\n`)
  }
}

function describe({ ref }: FoundSchedule, { due, waiting, ran, excluded }: Backfill): string {
  const facts = [
    `${count(due.length, 'slot is', 'slots are')} due now`,
    ...(waiting > 0 ? [`${count(waiting, 'was', 'were')} due already`] : []),
    ...(ran > 0 ? [`${count(ran, 'has', 'have')} a run`] : []),
    ...(excluded > 0 ? [`${count(excluded, 'is', 'are')} on excluded days`] : []),
  ]
  return `${triggerName(ref)}: ${facts.join(', ')}`
}

async function paused({ ref }: FoundSchedule, occurrences: OccurrenceStore): Promise<string> {
  const isPaused = (await occurrences.memory(ref))?.pausedAt !== undefined
  return isPaused ? `; it is paused: they wait until \`audience schedule resume ${triggerName(ref)}\`` : ''
}

function badRange(message: string, hint: string): AudienceError {
  return new AudienceError({ code: 'bad-range', kind: 'usage', message, hint })
}

function tooMany({ ref }: FoundSchedule): AudienceError {
  return new AudienceError({
    code: 'too-many-slots',
    kind: 'usage',
    message: `${triggerName(ref)} has more than ${MAX_SLOTS} slots to run in that time`,
    hint: 'nothing was changed; give a shorter time with --from and --to',
  })
}
