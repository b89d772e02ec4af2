import { isoTime } from '../core/iso-time.ts'
import { byTrigger, type TriggerRef, triggerRefOf } from '../core/occurrence.ts'
import type { RemoteTrigger } from '../core/trigger.ts'
import { type LiveDocument, triggersOf } from '../daemon/documents/live-documents.ts'
import type { ReadableState } from '../state/state.ts'
import { lastDayOfFiles, type SummaryOf } from './folder-status.ts'
import type { SourceStatus } from './status-report.ts'

/** A trigger that takes files from a source. */
export interface SourceWatch extends TriggerRef {
  readonly its: RemoteTrigger
}

export function sourceWatches(documents: Iterable<LiveDocument>): readonly SourceWatch[] {
  return triggersOf(documents, 'remote').map((live) => ({ ...triggerRefOf(live), its: live.trigger }))
}

/** The state of each trigger that takes files from other machines, as its last check found it. */
export async function sourceStatuses(
  documents: Iterable<LiveDocument>,
  summaryOf: SummaryOf,
  { remote }: Pick<ReadableState, 'remote'>,
): Promise<SourceStatus[]> {
  const found = sourceWatches(documents)
  if (found.length === 0) return []
  const lookOf = byTrigger(await remote.looks())
  return found.map(({ its: { source, path }, ...ref }) => {
    const noted = lookOf(ref)
    // A check of another source or folder says nothing about this one.
    const look = noted?.source === source && noted.path === path ? noted : undefined
    return {
      ...ref,
      source,
      path,
      waiting: look?.waiting ?? 0,
      open: noted?.open ?? 0,
      sets: look?.sets?.map(({ name, missing, until }) => ({
        name,
        missing,
        until: isoTime(until),
      })),
      lookedAt: look && isoTime(look.at),
      reachedAt: isoTime(look?.reachedAt),
      problem: look?.problem && { ...look.problem, since: isoTime(look.problem.since) },
      lastDay: lastDayOfFiles(summaryOf(ref)),
    }
  })
}
