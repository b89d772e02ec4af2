import type { Position } from './diagnostic.ts'
import { AudienceError, type ErrorReport, type RequestFailure } from './errors.ts'
import { messageOf } from './message-of.ts'
import { systemHint } from './system-hint.ts'

/** An error as plain data. `at` is used if the error has no position of its own. */
export function reportError(error: unknown, at?: Position): ErrorReport {
  if (!(error instanceof AudienceError)) {
    const message = messageOf(error)
    const hint = systemHint(error)
    return hint === undefined
      ? { code: 'internal', kind: 'failed', message, hint: 'this is a bug in the runner; please report it', at }
      : { code: 'system-refused', kind: 'failed', message, hint, at }
  }
  return {
    code: error.code,
    kind: error.kind,
    message: error.message,
    hint: error.hint || undefined,
    at: error.at ?? at,
    request: requestOf(error),
  }
}

function requestOf(error: AudienceError): RequestFailure | undefined {
  return 'request' in error ? (error.request as RequestFailure) : undefined
}
