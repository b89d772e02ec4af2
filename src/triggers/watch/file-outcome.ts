import type { Logger } from 'pino'
import type { ErrorReport } from '../../core/errors.ts'
import type { Occurrence } from '../../core/occurrence.ts'
import type { FinalStatus } from '../../core/run.ts'

/** Where a file goes, and the note beside it. */
export interface FileOutcome {
  readonly folder: 'done' | 'failed'
  /**
   * The outcome of the file, for the occurrence store. If the run for the content did not succeed, the same content
   * gets another run when it arrives again.
   */
  readonly outcome: FinalStatus | 'unknown' | 'skipped' | 'duplicate'
  /** Set for each file in `failed`, and for a file in `done` that had no run of its own. */
  readonly why?: { readonly happened: string; readonly next: string }
}

const DROP_AGAIN = 'put the file into the watched folder again, as `audience files drop-again` or the console does'

/**
 * What to do with the file of a closed occurrence. `status` and `error` are those of its run, or of the run with the
 * same content.
 */
export function fileOutcomeOf(
  occurrence: Occurrence,
  status: FinalStatus | undefined,
  error: ErrorReport | undefined,
): FileOutcome {
  const { state, reason = '', runId = '' } = occurrence
  if (state === 'ran' && status === 'succeeded') return { folder: 'done', outcome: 'succeeded' }
  if (state === 'ran' && status === undefined)
    return failed('unknown', `its run ${runId} is no longer in the history`, DROP_AGAIN)
  if (state === 'ran') return failed(status ?? 'unknown', howRunEnded(runId, status, error), nextAfter(runId, error))
  if (state === 'skipped' && reason === 'duplicate') return duplicate(occurrence, status)
  if (state === 'skipped' && reason === 'condition') {
    const happened = 'it got no run: the condition (if) of the trigger does not hold'
    return { folder: 'done', outcome: 'skipped', why: { happened, next: 'nothing, if this file should not get a run' } }
  }
  if (state === 'skipped') return failed('skipped', `it got no run: ${reason}`, DROP_AGAIN)
  return failed('failed', `it got no run: ${reason}`, `correct it and ${DROP_AGAIN}`)
}

/**
 * What to do with a file that was written to after it had been read. It goes to `failed`, because no run has its
 * current content. The outcome still describes the content that was read, so that this content gets no second run.
 */
export function outcomeOfChanged(
  { outcome, why }: FileOutcome,
  change: string,
  runId: string | undefined,
): FileOutcome {
  const what = runId === undefined ? change : `${change}; the run ${runId} has only the content that was read`
  const next = `wait until nothing is writing to it any more, then ${DROP_AGAIN}; to let writers pause, use a longer settle, or a .done file beside it`
  return failed(outcome, why ? `${why.happened}; and ${what}` : what, next)
}

/** Logs what was done with a file, and why. */
export function logOutcome(
  log: Pick<Logger, 'info' | 'warn'>,
  { folder, why }: FileOutcome,
  { what, facts }: { what: string; facts: object },
): void {
  const text = why ? `${what}: ${why.happened}` : what
  log[folder === 'done' ? 'info' : 'warn']({ ...facts, reason: why?.happened }, text)
}

function duplicate({ runId = '' }: Occurrence, status: FinalStatus | undefined): FileOutcome {
  const same = `it got no run: an earlier file had the same content`
  if (status === 'failed' || status === 'cancelled') {
    return failed('duplicate', `${same}, and that file's run ${runId} ${ended(status)}`, DROP_AGAIN)
  }
  const happened = `${same}; the run of that file is ${runId}`
  const next = 'nothing; if the watch in the document has "repeat: true", the same content gets a run each time'
  return { folder: 'done', outcome: 'duplicate', why: { happened, next } }
}

function failed(outcome: FileOutcome['outcome'], happened: string, next: string): FileOutcome {
  return { folder: 'failed', outcome, why: { happened, next } }
}

function howRunEnded(runId: string, status: FinalStatus | undefined, error: ErrorReport | undefined) {
  const where = error?.step === undefined ? '' : ` at the step ${error.step}`
  return `its run ${runId} ${ended(status)}${error ? `${where}: ${error.message}` : ''}`
}

function nextAfter(runId: string, error: ErrorReport | undefined): string {
  const hint = error?.hint === undefined ? '' : `${error.hint}; `
  return `${hint}audience runs show ${runId} shows more. Then ${DROP_AGAIN}`
}

function ended(status: FinalStatus | undefined): string {
  return status === 'cancelled' ? 'was cancelled' : 'failed'
}
