import { DAY_MS, isAhead } from '../core/duration.ts'
import { count } from '../core/format/figures.ts'
import { partnerText } from '../core/format/partner-text.ts'
import { utcTime } from '../core/format/time-text.ts'
import type { Notification } from '../core/notification.ts'
import type { SummaryRule } from '../core/notify-rule.ts'
import { triggerName } from '../core/occurrence.ts'
import type { TriggerSummary } from '../state/occurrence-store.ts'
import type { State } from '../state/state.ts'
import { deadlineOf } from '../triggers/schedule/deadline-of.ts'
import type { Batch } from './batch.ts'

/** When the last summary was made. */
const MADE = 'summary'
/** After a stop that is longer than this, the summary covers only this period. */
const LONGEST_MS = 7 * DAY_MS
/** How many entries of each kind it names. */
const MOST_NAMED = 5

/**
 * Reports once a day what ran, what failed and what is waiting, even if there is nothing to report: a missing summary
 * shows that nothing is working. The summary is stored with its checkpoint, so neither a restart nor another keeper
 * repeats one. After a stop, there is only one.
 */
export function createSummaries({
  rules: { summary },
  state,
}: {
  rules: { summary?: SummaryRule | undefined }
  state: Pick<State, 'runs' | 'occurrences' | 'mutes'>
}): (batch: Pick<Batch, 'checkpoints' | 'nowMs'>) => Promise<Notification[]> {
  let nextAt = Number.NEGATIVE_INFINITY
  let lookedAt = Number.NEGATIVE_INFINITY

  return async ({ checkpoints, nowMs }) => {
    const isBack = nowMs < lookedAt
    lookedAt = nowMs
    if (!summary || (nowMs < nextAt && !isBack)) return []
    const stored = await checkpoints.find(MADE)
    // While the clock was ahead, a summary was recorded with a time that is now in the future.
    const madeAt = stored !== undefined && isAhead(stored, nowMs) ? undefined : stored
    nextAt = deadlineOf({ deadline: summary.at, timezone: summary.timezone }, madeAt ?? nowMs) ?? nowMs
    if (madeAt === undefined || nextAt <= nowMs) checkpoints.set(MADE, nowMs)
    if (madeAt === undefined || nextAt > nowMs) return []
    const since = Math.max(madeAt, nowMs - LONGEST_MS)
    // During a takeover, two keepers make the same notification.
    return [{ ...(await summaryOf(state, since, nowMs)), key: `summary/${madeAt}` }]
  }
}

async function summaryOf(
  { runs, occurrences, mutes }: Pick<State, 'runs' | 'occurrences' | 'mutes'>,
  since: number,
  nowMs: number,
): Promise<Omit<Notification, 'key'>> {
  const ended = await runs.endedSince(since)
  const inPart = await runs.succeededInPart(since)
  const failures = await runs.failureGroups({ since, limit: MOST_NAMED + 1 })
  const { waiting } = await runs.counts()
  const questions = (await runs.page({ status: ['waiting'], limit: MOST_NAMED })).rows
  const partners = await runs.partnerWaits({ limit: MOST_NAMED + 1 })
  const slots = await occurrences.summary(since)
  const paused = (await occurrences.memories()).filter(({ pausedAt }) => pausedAt !== undefined)
  const muted = await mutes.list(nowMs)
  const all = ended.succeeded + ended.failed + ended.cancelled
  const how = [
    `${ended.succeeded} succeeded${inPart > 0 ? ` (${inPart} in part)` : ''}`,
    ...(ended.failed > 0 ? [`${ended.failed} failed`] : []),
    ...(ended.cancelled > 0 ? [`${ended.cancelled} cancelled`] : []),
    ...(waiting > 0 ? [`${waiting} waiting for a person`] : []),
  ]
  return {
    event: 'summary',
    at: nowMs,
    pipeline: '',
    page: '',
    title: `daily summary: ${all + waiting === 0 ? 'no run ended' : how.join(', ')}`,
    details: [
      `Since ${utcTime(since)}.`,
      ...named('Failed', failures, ({ run, failures: times }) => {
        const where = run.error?.step === undefined ? '' : ` at step "${run.error.step}"`
        return `${run.pipeline}${where}${times > 1 ? `, ${times} times` : ''}: ${run.error?.message ?? 'no reason is known'}`
      }),
      ...named('Waits for a person', questions, ({ pipeline, runId }) => `${pipeline}, run ${runId}`),
      ...(waiting > questions.length
        ? [`and ${count(waiting - questions.length, 'more run')} that wait for a person`]
        : []),
      ...named(
        'Waits for a partner',
        partners,
        ({ pipeline, runId, counterpart, since: from }) =>
          `${pipeline}, run ${runId} ${partnerText({ counterpart })}, since ${utcTime(from)}`,
      ),
      ...counted('Missed', slots, 'missed'),
      ...counted('No run could be made', slots, 'failed'),
      ...named('Paused', paused, (ref) => `${triggerName(ref)} since ${utcTime(ref.pausedAt ?? nowMs)}`),
      ...named('Muted', muted, ({ pipelines, until }) => `${pipelines} until ${utcTime(until)}`),
    ],
    next: ['audience status'],
  }
}

function counted(label: string, all: readonly TriggerSummary[], state: 'missed' | 'failed'): string[] {
  const found = all.filter(({ recent }) => recent[state] > 0)
  return named(label, found, ({ recent: { [state]: times }, ...ref }) => {
    return `${triggerName(ref)}${times > 1 ? `, ${times} times` : ''}`
  })
}

/** A line for each of the first entries. */
function named<T>(label: string, all: readonly T[], text: (one: T) => string): string[] {
  const lines = all.slice(0, MOST_NAMED).map((one) => `${label}: ${text(one)}`)
  return all.length > MOST_NAMED ? [...lines, `${label}: and more`] : lines
}
