import { reasonText } from '../../core/format/reason-text.ts'
import { isoTime } from '../../core/iso-time.ts'
import { printable } from '../../core/printable.ts'
import type { ListedOccurrence, TriggerSummary } from '../../state/occurrence-store.ts'
import type { Schedule } from '../../triggers/schedule/schedule.ts'
import { OUTCOME_COLOURS, outcomeText } from '../views/outcomes.ts'
import type { Style } from '../views/style.ts'
import { writeMinute } from '../views/write-time.ts'

/** A slot on the clock of its schedule, and on the clock of this machine if that differs. */
export function writeSlot({ trigger, localTime }: Schedule, ms: number): string {
  const { date, time } = localTime(ms)
  const [there, here] = [`${date} ${time} ${trigger.timezone}`, writeMinute(ms)]
  return there === here ? there : `${there} (${here})`
}

/** A time on the clock of a schedule, with its offset, for programs: `2026-03-08T03:00:00-04:00`. */
export function localTimestamp({ localTime }: Schedule, ms: number): string {
  const { date, time, offset } = localTime(ms)
  return `${date}T${time}:00${offset}`
}

/** How many days the counts cover. */
export const DAYS = 30

/** The outcome of a slot or a set, in words. */
export function describeOutcome({ outcome, state, reason, runId }: ListedOccurrence, style: Style): string {
  const text = style(OUTCOME_COLOURS[outcome], outcomeText(outcome))
  if (state === 'ran' && runId !== undefined) return `${text}, run ${runId}`
  return reason === undefined ? text : `${text}: ${printable(reasonText(reason))}`
}

export function outcomeCountsOf(summary: TriggerSummary | undefined): Record<string, number> {
  if (!summary) return {}
  const { due, recent } = summary
  const counts = { ran: recent.ran, skipped: recent.skipped, missed: recent.missed, failed: recent.failed, due }
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
}

export function outcomeJson({ at, state, outcome, reason, runId }: ListedOccurrence) {
  return {
    at: isoTime(at),
    state,
    outcome,
    reason,
    runId,
  }
}
