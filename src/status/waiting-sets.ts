import { isoTime } from '../core/iso-time.ts'
import { triggerRefOf } from '../core/occurrence.ts'
import { type LiveDocument, triggersOf } from '../daemon/documents/live-documents.ts'
import type { ReadableState } from '../state/state.ts'
import { type NamedAfter, setsOf } from '../triggers/after/account-for-ends.ts'
import { createShares, type SharesMark } from '../triggers/after/shares-mark.ts'
import type { SummaryOf } from './folder-status.ts'
import type { AfterStatus, WaitingSet } from './status-report.ts'

/** The sets of a trigger that are waiting, oldest first. */
export async function waitingSets(
  named: NamedAfter,
  { ends, shares, now }: { ends: ReadableState['ends']; shares: SharesMark; now: number },
): Promise<readonly WaitingSet[]> {
  const { waiting } = await setsOf(named, { ends, shares, now, pausedAt: undefined })
  return waiting.map((set) => {
    const runs = Object.fromEntries(set.ends.map(({ pipeline, runId }) => [pipeline, runId]))
    return {
      runs,
      lacking: named.trigger.pipelines.filter((pipeline) => !Object.hasOwn(runs, pipeline)),
      until: isoTime(set.until),
    }
  })
}

/** What a set waits for, such as `for b, until 02:00; a has ended`. The caller writes the time. */
export function waitingText({ runs, lacking, until }: WaitingSet, writeTime: (ms: number) => string): string {
  const ended = Object.entries(runs).map(([pipeline, runId]) => `${pipeline} has ended (run ${runId})`)
  return `for ${lacking.join(', ')}, until ${writeTime(Date.parse(until))}; ${ended.join(', ')}`
}

/** For each trigger that comes after other pipelines: the sets that are waiting, and the outcomes of past sets. */
export async function aftersOf(
  documents: ReadonlyMap<string, LiveDocument>,
  summaryOf: SummaryOf,
  { ends, now }: { ends: ReadableState['ends']; now: number },
): Promise<AfterStatus[]> {
  const shares = createShares(documents)
  return Promise.all(
    triggersOf(documents.values(), 'after').map(async ({ pipeline, trigger }) => {
      const ref = triggerRefOf({ pipeline, trigger })
      const { due = 0, recent, runs = {} } = summaryOf(ref) ?? {}
      const { ran = 0, skipped = 0, missed = 0, failed = 0 } = recent ?? {}
      return {
        ...ref,
        pipelines: trigger.pipelines,
        waiting: await waitingSets({ ref, trigger }, { ends, shares, now }),
        due,
        lastDay: { ran, outcomes: runs, skipped, missed, failed },
      }
    }),
  )
}
