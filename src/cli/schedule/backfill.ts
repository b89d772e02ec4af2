import type { Settings } from '../../config/settings.ts'
import { AudienceError } from '../../core/errors.ts'
import { count } from '../../core/figures.ts'
import { triggerName } from '../../core/occurrence.ts'
import type { Signed } from '../../core/run.ts'
import { systemClock } from '../../platform/clock.ts'
import type { OccurrenceStore } from '../../state/occurrence-store.ts'
import { type Backfill, decideBackfill } from '../../triggers/schedule/decide-backfill.ts'
import { backfillDetail, withdrawSlots } from '../../triggers/schedule/withdraw-slots.ts'
import { parseTime } from '../parse-time.ts'
import { type SignFlags, signedBy } from '../signed.ts'
import type { Terminal } from '../terminal.ts'
import { withState } from '../with-state.ts'
import { type FoundSchedule, findSchedules } from './find-schedules.ts'

export interface BackfillFlags extends SignFlags {
  readonly from: string
  readonly to: string
  readonly onlyMissing?: true
  readonly withdraw?: true
}

/** The most slots of one schedule that one command makes due. */
const MAX_SLOTS = 10_000

/** Makes the slots of a period due. Writes nothing if one of the schedules has too many. */
export async function backfillSchedules(name: string, flags: BackfillFlags, terminal: Terminal): Promise<number> {
  const now = systemClock.now()
  const from = parseTime(flags.from, '--from')
  const to = parseTime(flags.to, '--to')
  if (to <= from) throw badRange('--to is not after --from', 'a slot at the time of --to is not included')
  if (from > now) throw badRange('--from is in the future', 'slots that have not come yet run by themselves')
  const { settings, schedules } = await findSchedules(name, terminal)
  const signed = signedBy(flags, terminal)
  if (flags.withdraw) return withdraw(schedules, { from, to }, { settings, signed }, terminal)
  const range = { from, to: Math.min(to, now + 1), onlyMissing: flags.onlyMissing === true, limit: MAX_SLOTS }
  return withState(
    terminal,
    async ({ occurrences }) => {
      const decided: { schedule: FoundSchedule; backfill: Backfill }[] = []
      for (const schedule of schedules)
        decided.push({ schedule, backfill: await decideBackfill(schedule, occurrences, range) })
      for (const { schedule, backfill } of decided) if (backfill.tooMany) throw tooMany(schedule)
      for (const { schedule, backfill } of decided) {
        const detail = backfillDetail({ from, to }, backfill.due.length)
        const act = { ...signed, act: 'schedule.backfill', detail } as const
        if (backfill.due.length > 0) await occurrences.note(schedule.ref, { occurrences: backfill.due, act })
        terminal.out.write(`${describe(schedule, backfill)}${await paused(schedule, occurrences)}\n`)
      }
      if (decided.some(({ backfill }) => backfill.due.length > 0)) {
        terminal.out.write('`audience start` runs them, oldest first; `audience schedule list` shows their outcomes\n')
      }
      return 0
    },
    settings,
  )
}

/** Skips the slots that are still due. Slots that have a run keep it. */
function withdraw(
  schedules: readonly FoundSchedule[],
  range: { readonly from: number; readonly to: number },
  { settings, signed }: { readonly settings: Settings; readonly signed: Signed },
  terminal: Terminal,
): Promise<number> {
  return withState(
    terminal,
    async ({ occurrences }) => {
      for (const { ref } of schedules) {
        const due = await withdrawSlots(occurrences, ref, { ...range, actor: signed })
        terminal.out.write(
          `${triggerName(ref)}: ${count(due.length, 'slot')} that ${due.length === 1 ? 'was' : 'were'} due will not run\n`,
        )
      }
      return 0
    },
    settings,
  )
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
