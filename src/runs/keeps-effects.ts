import { INTENT } from '../core/engine.ts'
import type { ErrorReport } from '../core/errors.ts'
import { isJsonObject, type Json } from '../core/json.ts'

/** What is known about a failure, as thrown or as recorded. */
type Failure = Pick<ErrorReport, 'code' | 'request'>

/**
 * Whether the next try of an unsuccessful step execution continues from its effects. After an announced write, it does:
 * it looks for the write or waits for it, and never sends it blindly (decision 141). It starts again only if the
 * failure says that nothing was created: the job failed, or the write itself was refused or not sent. The next try is
 * an attempt in the same run (`retry`) or in a new one (`runs retry`). Without `failure`, the execution was cancelled.
 */
export function keepsEffects(failure: Failure | undefined, announced: readonly string[]): boolean {
  if (announced.length === 0) return false
  if (failure === undefined) return true
  if (failure.code === 'job-failed') return false
  const { request } = failure
  return !request || request.outcome === 'unknown' || !announced.includes(request.operation)
}

/** The operations of the writes that an attempt with these effects has announced. */
export function announcedWrites(effects: ReadonlyMap<string, Json> | undefined): string[] {
  return [...(effects ?? [])].flatMap(([name, value]) =>
    name.endsWith(INTENT) ? [isJsonObject(value) ? String(value.operation) : name] : [],
  )
}
