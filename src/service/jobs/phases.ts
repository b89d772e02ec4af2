import type { JobStatus, MatchStatus } from '../../contract/enumerations.ts'
import type { Latencies } from '../network/network.ts'
import type { Approval, JobEnd, JobRequest } from './job.ts'

/**
 * One phase of a job: the status of the job, the status of the match's record, and whether the job does its work in
 * this phase.
 */
export interface Phase {
  readonly job: Exclude<JobStatus, JobEnd>
  readonly record?: MatchStatus
  readonly work?: true
}

/**
 * The phases of a job: PENDING, PENDING_APPROVAL if an approval is needed, READY, RUNNING (decision 124), with the
 * states of the match record (docs/decisions.md, "Matching").
 */
export function phasesOf(request: JobRequest): readonly Phase[] {
  switch (request.kind) {
    case 'segments.create':
    case 'segments.refresh':
      return [{ job: 'PENDING' }, { job: 'READY' }, { job: 'RUNNING', work: true }]
    case 'segments.share':
    case 'activations.create':
      return [{ job: 'PENDING' }, { job: 'PENDING_APPROVAL' }, { job: 'READY' }, { job: 'RUNNING' }]
    case 'matches.create':
      return request.group ? GROUP_MATCH : partnerMatch(request.approval)
    case 'matches.refresh':
    case 'matches.testControl':
      return MATCH_UPDATE
  }
}

const partnerMatch = (approval: Approval | null): readonly Phase[] => [
  { job: 'PENDING', record: 'SUBMITTED' },
  { job: 'PENDING', record: 'RECEIVED' },
  ...(approval === null
    ? []
    : ([
        { job: 'PENDING_APPROVAL', record: 'PENDING_APPROVAL' },
        { job: 'READY', record: 'APPROVED' },
      ] as const)),
  { job: 'READY', record: 'FETCHED' },
  { job: 'READY', record: 'READY_FOR_MATCH' },
  { job: 'RUNNING', record: 'MATCH_ENGINE_PROCESSING', work: true },
  { job: 'RUNNING', record: 'WAITING_DELIVERY' },
  { job: 'RUNNING', record: 'DELIVERING' },
]

const GROUP_MATCH: readonly Phase[] = [
  { job: 'PENDING', record: 'CHILD_SUBMITTED' },
  { job: 'READY', record: 'CHILD_SUBMITTED' },
  { job: 'RUNNING', record: 'CHILD_RUNNING', work: true },
  { job: 'RUNNING', record: 'AGGREGATE_MATCH_WAITING' },
  { job: 'RUNNING', record: 'RUNNING' },
]

const MATCH_UPDATE: readonly Phase[] = [
  { job: 'PENDING', record: 'UPDATE_SUBMITTED' },
  { job: 'READY', record: 'UPDATE_SUBMITTED' },
  { job: 'RUNNING', record: 'UPDATE_RUNNING', work: true },
  { job: 'RUNNING', record: 'WAITING_DELIVERY' },
  { job: 'RUNNING', record: 'DELIVERING' },
]

/**
 * When a job that enters a phase now will move on automatically; null if a person must approve. Phases with the same
 * status share the latency of that status. An automatic approval takes as long as PENDING.
 */
export function dueAt(request: JobRequest, index: number, now: number, latencies: Latencies): number | null {
  const phases = phasesOf(request)
  const status = phases[index]?.job
  if (status === undefined) return null
  if (status === 'PENDING_APPROVAL') return approvalOf(request) === 'manual' ? null : now + latencies.PENDING
  const sharing = phases.filter((phase) => phase.job === status).length
  return now + Math.ceil(latencies[status] / sharing)
}

/** What follows when the time of a phase is up: the next phase, or the end. */
export function afterPhase(request: JobRequest, index: number): { phase: number } | { end: 'SUCCESS' | 'REJECTED' } {
  const phases = phasesOf(request)
  if (phases[index]?.job === 'PENDING_APPROVAL' && approvalOf(request) === 'reject') return { end: 'REJECTED' }
  return index + 1 < phases.length ? { phase: index + 1 } : { end: 'SUCCESS' }
}

function approvalOf(request: JobRequest): Approval | null {
  return 'approval' in request ? request.approval : null
}
