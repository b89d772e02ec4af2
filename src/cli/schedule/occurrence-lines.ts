import { reasonText } from '../../core/format/reason-text.ts'
import { isoTime } from '../../core/iso-time.ts'
import { printable } from '../../core/printable.ts'
import type { ListedOccurrence, TriggerSummary } from '../../state/occurrence-store.ts'
import { OUTCOME_COLOURS, outcomeText } from '../views/outcomes.ts'
import type { Style } from '../views/style.ts'

/** The period of the counts. */
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
    ...{ state, outcome, reason },
    runId,
  }
}
