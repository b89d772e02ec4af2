import type { Engine, RunRequest } from '../core/engine.ts'
import { AudienceError } from '../core/errors.ts'
import type { Pipeline } from '../core/pipeline.ts'
import { type StoredRecord, stepKey } from '../core/run.ts'
import { answerCommands } from '../runs/answer-commands.ts'
import { submittersOf } from '../runs/ask-approval.ts'
import { describeRun } from '../runs/describe-run.ts'
import type { WantedRun } from '../runs/prepare-run.ts'
import { findRun, stateAfter } from '../runs/recorded-run.ts'
import { seedOf } from '../runs/seed.ts'
import type { RunHistory, RunRow } from '../state/run-history.ts'
import { startRun } from './start-run.ts'

/**
 * The run that repeats an ended one with its document and inputs, for `prepareRun` and `startRetry`: what succeeded is not
 * done again, except `from` and the steps that need it. Throws `unknown-run`, `run-not-ended` or `unknown-step`, or
 * InvalidDocumentError if this version cannot read the document.
 */
export async function retryOf(
  { runId, from }: { readonly runId: string; readonly from?: string | undefined },
  deps: {
    readonly runs: Pick<RunHistory, 'find' | 'records'>
    readonly readPipeline: (source: { readonly file: string; readonly text: string }) => Pipeline
  },
): Promise<{ readonly row: RunRow; readonly wanted: WantedRun }> {
  const row = await findRun(deps.runs, runId)
  const records = await deps.runs.records(runId)
  if (row.finishedAt === undefined) throw notEnded(row, records)
  const state = stateAfter(runId, records)
  const { file, text, folder, inputs, trigger } = state.submission
  const pipeline = deps.readPipeline({ file, text })
  const wanted = {
    ...{ pipeline, folder, inputs, trigger },
    seed: seedOf(pipeline, { runId, state }, from),
    submitters: submittersOf(state.submission),
    // A second retry would not know what the first one did. With `from`, a person says what to repeat.
    dedupeKey: from === undefined ? `retry/${runId}` : undefined,
  }
  return { row, wanted }
}

/** Starts the run of `retryOf`. Throws `already-retried`, or `group-busy` if a group refuses it. */
export async function startRetry(request: RunRequest, engine: Pick<Engine, 'submit'>) {
  const { runId, state } = await startRun(request, engine)
  if (state !== 'existing') return { runId, state }
  throw new AudienceError({
    code: 'already-retried',
    kind: 'usage',
    message: `run ${request.seed?.runId} was retried already, as run ${runId}; nothing was done`,
    hint: `look at that run with \`audience runs show ${runId}\`, and resume or retry it`,
  })
}

function notEnded(row: RunRow, records: readonly StoredRecord[]): AudienceError {
  const { runId, owner } = row
  const waiting = describeRun(row, records).steps.find(({ waitsFor }) => waitsFor)
  const hint = waiting
    ? `${stepKey(waiting)} waits for a person: ${answerCommands(runId, waiting).join(', or ')}`
    : owner === undefined
      ? `go on with it: audience runs resume ${runId}`
      : `${owner} works on it: audience runs watch ${runId}`
  return new AudienceError({ code: 'run-not-ended', kind: 'usage', message: `run ${runId} has not ended`, hint })
}
