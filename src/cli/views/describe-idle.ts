import type { RunRow } from '../../state/run-history.ts'

/** Says who acts on a decision about a run. */
export function describeWhoActs(
  { runId, owner, queuedFor }: Pick<RunRow, 'runId' | 'owner' | 'queuedFor'>,
  { otherService }: { otherService?: true } = {},
): string {
  if (owner !== undefined) return `${owner} resumes it`
  if (queuedFor === 'worker') return 'it is queued for a worker, which resumes it'
  const why =
    queuedFor === 'noWorker' ? 'it is queued for a worker, and none is running' : 'no process is working on it'
  return `${why}; to resume it: audience start, or audience runs resume ${runId}${otherService ? ' --other-service' : ''}`
}

/** What happens to a run that no process is working on. */
export function describeIdle({ status, queuedFor }: Pick<RunRow, 'status' | 'queuedFor'>): string {
  if (status === 'queued') return 'in the queue'
  if (queuedFor === 'worker') return 'queued for a worker'
  if (queuedFor === 'noWorker') return 'queued for a worker, and none is running: audience start'
  return 'no process is working on it'
}
