import type { RunRow } from '../../state/run-history.ts'

/** What becomes of a run that no process works on. */
export function describeIdle({ status, queuedFor }: Pick<RunRow, 'status' | 'queuedFor'>): string {
  if (status === 'queued') return 'in the queue'
  if (queuedFor === 'worker') return 'queued for a worker'
  if (queuedFor === 'noWorker') return 'queued for a worker, and none is running: audience start'
  return 'no process works on it'
}
