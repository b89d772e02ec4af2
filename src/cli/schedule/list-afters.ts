import { DAY_MS } from '../../core/duration.ts'
import { formatDuration } from '../../core/format/duration-text.ts'
import { count } from '../../core/format/figures.ts'
import { isoTime } from '../../core/iso-time.ts'
import { byTrigger, triggerName } from '../../core/occurrence.ts'
import { jsonLine } from '../../core/printable.ts'
import type { ListedOccurrence, TriggerSummary } from '../../state/occurrence-store.ts'
import type { ReadableState } from '../../state/state.ts'
import type { WaitingSet } from '../../status/status-report.ts'
import { waitingSets, waitingText } from '../../status/waiting-sets.ts'
import { outcomesText } from '../views/outcomes.ts'
import type { Style } from '../views/style.ts'
import { writeTime } from '../views/write-time.ts'
import type { FoundAfter } from './find-schedules.ts'
import { DAYS, describeOutcome, outcomeCountsOf, outcomeJson } from './occurrence-lines.ts'

interface ListedAfter {
  readonly after: FoundAfter
  readonly pausedAt: number | undefined
  readonly waiting: readonly WaitingSet[]
  /** Newest first. */
  readonly sets: readonly ListedOccurrence[]
  readonly summary: TriggerSummary | undefined
}

/** Triggers that start runs after other pipelines: what each waits for, and its outcomes. */
export async function lookUpAfters(
  { occurrences, ends }: ReadableState,
  afters: readonly FoundAfter[],
  { now, limit }: { now: number; limit: number },
): Promise<readonly ListedAfter[]> {
  if (afters.length === 0) return []
  const memoryOf = byTrigger(await occurrences.memories())
  const summaryOf = byTrigger(await occurrences.summary(now - DAYS * DAY_MS))
  return Promise.all(
    afters.map(async (after) => ({
      after,
      pausedAt: memoryOf(after.ref)?.pausedAt,
      waiting: await waitingSets(after, { ends, shares: after.shares, now }),
      sets: await occurrences.list({ ...after.ref, limit }),
      summary: summaryOf(after.ref),
    })),
  )
}

/** The lines for a trigger; if it was named, also its latest sets. */
export function afterLines(
  one: ListedAfter,
  { isNamed, json }: { isNamed: boolean; json: true | undefined },
  style: Style,
): readonly string[] {
  const { after, pausedAt, waiting, sets, summary } = one
  const { pipelines, on, withinMs } = after.trigger
  if (json && isNamed) return sets.map((set) => jsonLine(setJson(after, set)))
  if (json) return [jsonLine(plain(one))]
  const line = (set: ListedOccurrence) => `${writeTime(set.at)}  ${describeOutcome(set, style)}`
  const name = style('bold', triggerName(after.ref))
  return [
    `${name}  after ${pipelines.join(', ')}  (on: ${on}, within ${formatDuration(withinMs)})`,
    ...(pausedAt === undefined ? [] : [`  ${style('yellow', `paused since ${writeTime(pausedAt)}`)}`]),
    ...waiting.map((set) => `  waits  ${waitingText(set, writeTime)}`),
    `  last  ${sets[0] ? line(sets[0]) : 'none yet'}`,
    ...(summary
      ? [`  ${count(DAYS, 'day')}  ${outcomesText({ ...summary, ...summary.recent, outcomes: summary.runs })}`]
      : []),
    ...(isNamed ? sets.map((set) => `  ${line(set)}`) : []),
    '',
  ]
}

/** The names are a contract: other programs use them. */
function plain({ after, pausedAt, waiting, sets: [last], summary }: ListedAfter) {
  const { pipelines, on, withinMs, profiles } = after.trigger
  return {
    ...after.ref,
    file: after.file,
    after: pipelines,
    on,
    withinMs,
    profiles,
    pausedSince: isoTime(pausedAt),
    waiting,
    last: last && outcomeJson(last),
    counts: outcomeCountsOf(summary),
    outcomes: summary?.runs ?? {},
  }
}

function setJson({ ref }: FoundAfter, set: ListedOccurrence) {
  const { runs = {}, lacking } = set.detail ?? {}
  return { ...ref, key: set.key, runs, lacking, ...outcomeJson(set) }
}
