import type { RunHistory } from '../run-history.ts'
import type { ReadThread } from './read-thread.ts'
import type { RunReads } from './run-reads.ts'

/** The reads that an index answers at once: in this thread they are quicker than a question to another. */
export function readsAtOnce(
  reads: RunReads,
): Pick<
  RunHistory,
  | 'find'
  | 'records'
  | 'submission'
  | 'named'
  | 'counts'
  | 'orphans'
  | 'unfinishedServices'
  | 'lastSuccess'
  | 'pipelines'
  | 'expired'
> {
  return {
    find: async (runId) => reads.find(runId),
    records: async (runId, after) => reads.records(runId, after),
    submission: async (runId) => reads.submission(runId),
    named: async (text, limit) => reads.named(text, limit),
    counts: async () => reads.counts(),
    orphans: async () => reads.orphans(),
    unfinishedServices: async () => reads.unfinishedServices(),
    lastSuccess: async (pipeline) => reads.lastSuccess(pipeline),
    pipelines: async () => reads.pipelines(),
    expired: async (policy) => reads.expired(policy),
  }
}

type Long = Pick<RunHistory, 'page' | 'changedSince' | 'endedSince' | 'countsByHour' | 'figures'>

/** The reads over many runs, in a thread of their own. */
export function readsInThread(thread: ReadThread): Long {
  return {
    page: (filter) => thread.ask('page', filter),
    changedSince: (sequence, limit) => thread.ask('changedSince', sequence, limit),
    endedSince: (since) => thread.ask('endedSince', since),
    countsByHour: (filter) => thread.ask('countsByHour', filter),
    figures: (filter) => thread.ask('figures', filter),
  }
}

/** The same reads in this thread, for a command that has nothing else to do. */
export function readsHere(reads: RunReads): Long {
  return {
    page: async (filter) => reads.page(filter),
    changedSince: async (sequence, limit) => reads.changedSince(sequence, limit),
    endedSince: async (since) => reads.endedSince(since),
    countsByHour: async (filter) => reads.countsByHour(filter),
    figures: async (filter) => reads.figures(filter),
  }
}
