import type { ErrorReport } from '../core/errors.ts'

/** What is known of a failure, as it was thrown or as it was recorded. */
type Failure = Pick<ErrorReport, 'code' | 'request'>

/**
 * Whether the next try of a step execution continues from the effects of one that did not succeed: after an announced
 * write it does, so that the write is looked for or waited for and never sent blindly (decision 141). It begins anew only
 * where the failure says that nothing was made: a job that failed, or the very write refused or not sent. The next try is
 * an attempt of the same run (`retry`) or of a new one (`runs retry`). Without `failure` it was cancelled.
 */
export function keepsEffects(failure: Failure | undefined, announced: readonly string[]): boolean {
  if (announced.length === 0) return false
  if (failure === undefined) return true
  if (failure.code === 'job-failed') return false
  const { request } = failure
  return !request || request.outcome === 'unknown' || !announced.includes(request.operation)
}
