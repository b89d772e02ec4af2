import type { Engine } from '../core/engine.ts'
import { type AudienceError, invalidError, usageError, WrongFieldsError } from '../core/errors.ts'
import { isSameJson, type JsonObject } from '../core/json.ts'
import { type Pipeline, stepsOf } from '../core/pipeline.ts'
import { type Seed, type StoredRecord, stepKey } from '../core/run.ts'
import { type RecordedService, requireSameService } from '../core/service-ref.ts'
import { resolveInputs } from '../pipeline/resolve-inputs.ts'
import { answerCommands } from '../runs/answer-commands.ts'
import { submittersOf } from '../runs/ask-approval.ts'
import { describeRun } from '../runs/describe-run.ts'
import { type PrepareRunDeps, prepareRun, type WantedRun } from '../runs/prepare-run.ts'
import { findRun, stateAfter } from '../runs/recorded-run.ts'
import type { RunState } from '../runs/run-state.ts'
import { seedOf } from '../runs/seed.ts'
import type { RunHistory, RunRow } from '../state/run-history.ts'
import { approvalWait } from '../steps/approval-wait.ts'
import { startRun } from './start-run.ts'

/** A document as it is now, and what is needed to run it. */
export interface TodaysDocument {
  readonly pipeline: Pipeline
  /** The folder of the document. */
  readonly folder: string
  /** Throws if a file may not be used. */
  readonly checkFile: (path: string) => void
  /** What is wrong with the file now, if its last valid version is used instead. */
  readonly problems?: readonly string[] | undefined
}

/**
 * The run that repeats an ended run with the current document, starting at a given step, as `run --from --of` does.
 * Throws `from-missing`, `unknown-run`, `run-not-ended`, `invalid-document`, `unknown-step`, or an error that names the
 * input that no longer fits the document.
 */
export async function retryWithToday(
  { runId, from }: { runId: string; from: string | undefined },
  {
    runs,
    today,
  }: {
    runs: Pick<RunHistory, 'find' | 'records'>
    /** Returns the current document of a pipeline; throws if none can be run. */
    today: (pipeline: string) => TodaysDocument
  },
): Promise<{ readonly row: RunRow; readonly wanted: WantedRun }> {
  if (from === undefined) throw fromMissing()
  const { row, state } = await endedRun(runs, runId)
  const { pipeline, folder, checkFile, problems } = today(row.pipeline)
  if (problems) throw brokenNow(problems)
  const { inputs: recorded, trigger } = state.submission
  const gone = Object.keys(recorded).find((name) => !Object.hasOwn(pipeline.inputs, name))
  if (gone !== undefined) throw inputGone(gone, pipeline)
  // A missing file fails the step that reads it, as in a retry with the recorded document.
  const inputs = resolveInputs(pipeline, { values: recorded, cwd: folder, exists: () => true, checkFile })
  return {
    row,
    wanted: { pipeline, folder, inputs, trigger, ...keptFor({ pipeline, inputs }, { runId, state }, from) },
  }
}

/**
 * What a run starting at the step `from` keeps from an earlier run, which need not have ended. `here` is the service to
 * which that run must belong; undefined if it may belong to any. Throws `unknown-run`, `other-service` or
 * `unknown-step`.
 */
export async function keptFrom(
  { runId, from }: { runId: string; from: string },
  wanted: { pipeline: Pipeline; inputs: JsonObject },
  { runs, here }: { runs: Pick<RunHistory, 'find' | 'records'>; here: RecordedService | undefined },
): Promise<Pick<WantedRun, 'seed' | 'submitters'>> {
  const row = await findRun(runs, runId)
  if (here) requireSameService(row, here)
  return keptFor(wanted, { runId, state: stateAfter(runId, await runs.records(runId)) }, from)
}

/**
 * The results that a run starting at the step `from` keeps from an earlier run, and the people who started that earlier
 * run. Throws `unknown-step`.
 */
function keptFor(
  wanted: { pipeline: Pipeline; inputs: JsonObject },
  earlier: { runId: string; state: RunState },
  from: string,
): Required<Pick<WantedRun, 'seed' | 'submitters'>> {
  const { submission } = earlier.state
  const { kept } = seedOf(wanted.pipeline, earlier, from)
  return {
    seed: {
      runId: earlier.runId,
      kept: isSameRequest(submission, wanted) ? kept : withoutApprovals(kept, wanted.pipeline),
    },
    submitters: submittersOf(submission),
  }
}

/** An approval is valid for one document with its inputs. A run of another document or with other inputs asks again. */
function isSameRequest(
  submission: { digest: string; inputs: JsonObject },
  { pipeline, inputs }: { pipeline: Pipeline; inputs: JsonObject },
): boolean {
  return submission.digest === pipeline.digest && isSameJson(submission.inputs, inputs)
}

function withoutApprovals(kept: Seed['kept'], pipeline: Pipeline): Seed['kept'] {
  const approvals = new Set(stepsOf(pipeline).flatMap(({ id, uses }) => (uses === approvalWait.name ? [id] : [])))
  return kept.filter(({ step }) => !approvals.has(step))
}

/** Results of another document may not fit this one, so a person must name the step to begin with. */
function fromMissing(): WrongFieldsError {
  const message = 'a retry with the current document needs `from`, the step to begin with'
  return new WrongFieldsError('from-missing', message, { from: 'is needed' })
}

function brokenNow(problems: readonly string[]): AudienceError {
  return invalidError(
    'invalid-document',
    `the document is broken now: ${problems.join('; ')}`,
    'correct it, or retry with the document that the run used',
  )
}

function inputGone(name: string, { file }: Pipeline): AudienceError {
  return usageError(
    'unknown-input',
    `the run has the input ${name}, which ${file} no longer has`,
    'retry it with its recorded document, or start a new run',
  )
}

/**
 * The run that repeats an ended run with its document and inputs, for `startRetry`. Steps that
 * succeeded are not repeated, except `from` and the steps that need it. Throws `unknown-run`, `run-not-ended` or
 * `unknown-step`, or InvalidDocumentError if this version cannot read the document.
 */
export async function retryOf(
  { runId, from }: { runId: string; from?: string | undefined },
  deps: {
    runs: Pick<RunHistory, 'find' | 'records'>
    readPipeline: (source: { file: string; text: string }) => Pipeline
  },
): Promise<{ readonly row: RunRow; readonly wanted: WantedRun }> {
  const { row, state } = await endedRun(deps.runs, runId)
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

/**
 * Starts the run of `retryOf` or `retryWithToday`. In the result, `asked` is the id of the requested run. `runId` is
 * the same id or, if the run was skipped, the id of the run that prevents it. Throws `no-group`, `already-retried`, or
 * `group-busy` if a group refuses it.
 */
export async function startRetry(wanted: WantedRun, deps: PrepareRunDeps & { engine: Pick<Engine, 'submit'> }) {
  const request = await prepareRun(wanted, deps)
  const { runId, state } = await startRun(request, deps.engine)
  if (state !== 'existing') return { asked: request.runId, runId, state }
  throw usageError(
    'already-retried',
    `run ${wanted.seed?.runId} has already been retried, as run ${runId}; nothing was done`,
    `look at that run with \`audience runs show ${runId}\`, and resume or retry it`,
  )
}

async function endedRun(runs: Pick<RunHistory, 'find' | 'records'>, runId: string) {
  const row = await findRun(runs, runId)
  const records = await runs.records(runId)
  if (row.finishedAt === undefined) throw notEnded(row, records)
  return { row, state: stateAfter(runId, records) }
}

function notEnded(row: RunRow, records: readonly StoredRecord[]): AudienceError {
  const { runId, owner } = row
  const waiting = describeRun(row, records).steps.find(({ waitsFor }) => waitsFor)
  const hint = waiting
    ? `${stepKey(waiting)} waits for a person: ${answerCommands(runId, waiting).join(', or ')}`
    : owner === undefined
      ? `continue it: audience runs resume ${runId}`
      : `${owner} is working on it: audience runs watch ${runId}`
  return usageError('run-not-ended', `run ${runId} has not ended`, hint)
}
