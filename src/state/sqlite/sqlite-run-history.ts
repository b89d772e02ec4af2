import type { ReadableState } from '../state.ts'
import type { RunReads } from './run-reads.ts'

type Reading = ReadableState['runs']

/** The reads in this thread: for lookups by a key, and for a command that has nothing else to do. */
export function readsHere(reads: RunReads): Reading {
  return {
    find: async (runId) => reads.find(runId),
    records: async (runId, after) => reads.records(runId, after),
    decisionsSent: async (runId) => reads.decisionsSent(runId),
    blocked: async (filter) => reads.blocked(filter),
    submission: async (runId) => reads.submission(runId),
    named: async (text, limit) => reads.named(text, limit),
    page: async (filter) => reads.page(filter),
    changedSince: async (sequence, limit) => reads.changedSince(sequence, limit),
    lastChange: async () => reads.lastChange(),
    counts: async () => reads.counts(),
    endedSince: async (since) => reads.endedSince(since),
    succeededInPart: async (since) => reads.succeededInPart(since),
    countsByHour: async (filter) => reads.countsByHour(filter),
    figures: async (filter) => reads.figures(filter),
    guardValues: async (filter) => reads.guardValues(filter),
    orphans: async () => reads.orphans(),
    unfinishedServices: async () => reads.unfinishedServices(),
    lastSuccess: async (pipeline) => reads.lastSuccess(pipeline),
    pipelines: async () => reads.pipelines(),
    expired: async (policy) => reads.expired(policy),
  }
}
