import { AudienceError } from '../core/errors.ts'

/** The reason why the work on a run ends when its process stops. */
export function interrupted(runId: string): AudienceError {
  return new AudienceError({
    code: 'interrupted',
    kind: 'interrupted',
    message: `run ${runId} was interrupted`,
    hint: `go on with it: audience runs resume ${runId}`,
  })
}
