import { FINAL_STATUSES, type OccurrenceOutcome, UNFINISHED_STATUSES } from '../../core/format/statuses.ts'
import type { RunOutcomes } from '../../state/occurrence-store.ts'
import type { Style } from './style.ts'

/** The colours of runs, slots and files, by outcome. */
export const OUTCOME_COLOURS = {
  queued: 'dim',
  running: 'cyan',
  waiting: 'yellow',
  succeeded: 'green',
  partial: 'yellow',
  failed: 'red',
  cancelled: 'red',
  due: 'cyan',
  ran: 'dim',
  skipped: 'dim',
  missed: 'red',
} as const satisfies Record<OccurrenceOutcome, Parameters<Style>[0]>

/** The outcome of a slot or file, in words. */
export function outcomeText(outcome: OccurrenceOutcome): string {
  return outcome === 'partial' ? 'succeeded in part' : outcome
}

interface Counts {
  readonly outcomes: RunOutcomes
  readonly skipped: number
  readonly missed?: number
  /** No run could be created. */
  readonly failed: number
  readonly caughtUp?: number
  readonly due?: number
}

/** `4 succeeded, 1 failed, 2 skipped, 1 failed without a run`. Counts of zero are left out; `none` if all are zero. */
export function outcomesText({ outcomes, skipped, missed = 0, failed, caughtUp = 0, due = 0 }: Counts): string {
  const counts: readonly (readonly [number, string])[] = [
    ...ORDER.map((outcome) => [outcomes[outcome] ?? 0, outcomeText(outcome)] as const),
    ...([
      [caughtUp, 'caught up from earlier days'],
      [skipped, 'skipped'],
      [missed, 'missed'],
    ] as const),
    ...([
      [failed, 'failed without a run'],
      [due, 'due'],
    ] as const),
  ]
  const shown = counts.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`)
  return shown.length === 0 ? 'none' : shown.join(', ')
}

/** The outcomes of ended runs come first. */
const [SUCCEEDED, ...NOT_SUCCEEDED] = FINAL_STATUSES
const ORDER = [SUCCEEDED, 'partial', ...NOT_SUCCEEDED, ...UNFINISHED_STATUSES, 'ran'] as const
