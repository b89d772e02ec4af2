import { dirname } from 'node:path'
import type { DecodedText } from '../core/decode-text.ts'
import { type AudienceError, failedError, InvalidDocumentError } from '../core/errors.ts'
import { UNFINISHED_STATUSES } from '../core/format/statuses.ts'
import { isSameJson, type JsonObject } from '../core/json.ts'
import type { Pipeline } from '../core/pipeline.ts'
import { type Seed, stepKey } from '../core/run.ts'
import type { RunEvent } from '../core/run-event.ts'
import { documentAt } from '../daemon/documents/document-at.ts'
import { RUN_CANCELLED } from '../engine/live-run.ts'
import { resolveInputs } from '../pipeline/resolve-inputs.ts'
import { isFile, whyUnseen } from '../platform/is-file.ts'
import { submittersOf } from '../runs/ask-approval.ts'
import { isOutOfTime } from '../runs/deadline.ts'
import { type PrepareRunDeps, prepareRun } from '../runs/prepare-run.ts'
import { stateAfter } from '../runs/recorded-run.ts'
import { groupBusy } from '../runs/run-groups.ts'
import type { RunState } from '../runs/run-state.ts'
import { seedOf } from '../runs/seed.ts'
import type { RunHistory } from '../state/run-history.ts'
import { RunTakenOverError } from '../state/run-store.ts'
import type { ChildRuns } from '../steps/define-step.ts'
import type { StepEngine } from './state-of-steps.ts'

/** The maximum depth of a chain of runs that start each other. A longer chain counts as a cycle. */
const MAX_DEPTH = 10
/** The maximum number of child runs that one run can have active at once. */
const MOST_CHILDREN = 10_000

/** The runs that `pipelines.run` steps start, in the same engine. */
export function createChildRuns(
  deps: PrepareRunDeps & {
    engine: Promise<StepEngine>
    runs: Pick<RunHistory, 'page' | 'records'>
    readPipeline: (source: DecodedText & { file: string }) => Pipeline
    /** Throws if a file may not be used. */
    checkFile: (path: string) => void
  },
): ChildRuns {
  const { engine, runs, readPipeline, checkFile } = deps
  return {
    async submit({ parent, stepKey: key, attempt, file, inputs }) {
      const above = await ancestorsOf(parent, runs)
      if (above.length > MAX_DEPTH) throw tooDeep(file)
      const pipeline = readPipeline({ ...documentOf(file, checkFile), file })
      const folder = dirname(file)
      const given = resolveInputs(pipeline, { values: inputs, cwd: folder, exists: isFile, whyUnseen, checkFile })
      const earlier = await earlierChild(key, above[0]?.seed, { file, inputs: given }, runs)
      // The earlier child run has not ended, although its parent has. It continues, so nothing needs to be repeated.
      if (earlier && !earlier.state.finished) return earlier.runId
      const seed = earlier && seedOf(pipeline, earlier)
      const trigger = { kind: 'run', parent, depth: above.length }
      // The run would wait for a slot in a group that one of its own ancestors holds.
      const held = new Set(above.flatMap(({ groups = [] }) => groups))
      const dedupeKey = `${parent}/${key}#${attempt}`
      const submitters = above[0] && submittersOf(above[0])
      const wanted = { pipeline, folder, inputs: given, trigger, parent, submitters, dedupeKey, seed, held }
      const { runId, state } = await (await engine).submit(await prepareRun(wanted, deps))
      if (state === 'skipped' || state === 'refused') throw groupBusy(pipeline.name, runId)
      return runId
    },
    async end(runId, signal) {
      const late = Promise.withResolvers<never>()
      late.promise.catch(() => undefined)
      const passOn = async () => {
        if (signal.reason === RUN_CANCELLED) await (await engine).cancel(runId)
        // The child run continues on its own: another attempt waits for the same run.
        if (isOutOfTime(signal.reason)) late.reject(signal.reason)
      }
      // If the database is unavailable while this process is closing, the child run continues, as after a kill.
      const onAbort = () => void passOn().catch(() => undefined)
      signal.addEventListener('abort', onAbort, { once: true })
      try {
        // The parent may already be cancelled before the child continues.
        if (signal.aborted) await passOn()
        const ended = endWherever(runId, await engine, signal)
        ended.catch(() => undefined)
        const end = await Promise.race([ended, late.promise])
        if (end) return end
      } finally {
        signal.removeEventListener('abort', onAbort)
      }
      throw signal.reason
    },
    async cancelAll(parent) {
      const { rows } = await runs.page({ parent, status: UNFINISHED_STATUSES, limit: MOST_CHILDREN })
      const { cancel, events } = await engine
      const end = async (runId: string) => {
        try {
          await cancel(runId)
        } catch (error) {
          // The cancellation is recorded: a version of the program that can read the document of that run will end the
          // run.
          if (error instanceof InvalidDocumentError) return
          throw error
        }
        for await (const _ of events(runId));
      }
      await Promise.all(rows.map(({ runId }) => end(runId)))
    },
  }
}

type ChildEnd = Awaited<ReturnType<ChildRuns['end']>>

/** How a run ended, in this or another process: another worker may have the run or take it over. */
async function endWherever(runId: string, engine: StepEngine, signal: AbortSignal): Promise<ChildEnd | undefined> {
  while (!signal.aborted) {
    try {
      await engine.resume(runId)
    } catch (error) {
      if (!(error instanceof RunTakenOverError)) throw error
    }
    try {
      return await endOf(engine.events(runId))
    } catch (error) {
      // The run left this process while it was being followed here.
      if (!(error instanceof RunTakenOverError)) throw error
    }
  }
  return undefined
}

/** How a run ended; undefined if this process stopped before that. */
async function endOf(events: AsyncIterable<RunEvent>): Promise<ChildEnd | undefined> {
  for await (const event of events) {
    if (event.event !== 'run.finished') continue
    const { status, outputs, error } = event
    return { status, outputs, error }
  }
  return undefined
}

/** The run that this step started in the earlier run (the one that is being repeated), if the request was the same. */
async function earlierChild(
  key: string,
  seed: Seed | undefined,
  asked: { file: string; inputs: JsonObject },
  runs: Pick<RunHistory, 'records'>,
): Promise<{ readonly runId: string; readonly state: RunState } | undefined> {
  const kept = seed?.kept.find((execution) => 'child' in execution && stepKey(execution) === key)
  if (!kept || !('child' in kept)) return undefined
  const { child: runId, step } = kept
  const records = await runs.records(runId)
  if (records.length === 0) throw childGone(runId, step)
  const state = stateAfter(runId, records)
  const { file, inputs } = state.submission
  return file === asked.file && isSameJson(inputs, asked.inputs) ? { runId, state } : undefined
}

function childGone(runId: string, step: string): AudienceError {
  return failedError(
    'unknown-run',
    `run ${runId}, which step "${step}" started in the earlier run, was removed: what it did is not known`,
    `check in the service what it did; a retry with \`--from ${step}\` repeats all of it`,
  )
}

type Submitted = RunState['submission']

/** A run and its ancestors, the nearest first. */
async function ancestorsOf(runId: string, runs: Pick<RunHistory, 'records'>): Promise<Submitted[]> {
  const { submission } = stateAfter(runId, await runs.records(runId))
  const { parent } = submission.trigger
  return [submission, ...(typeof parent === 'string' ? await ancestorsOf(parent, runs) : [])]
}

function documentOf(file: string, checkFile: (path: string) => void): DecodedText {
  const document = documentAt(file, checkFile)
  if (document && !('unread' in document)) return document
  throw failedError(
    'document-unreadable',
    `${file} cannot be read: ${document ? document.unread : 'there is no such file'}`,
    'check `file` of the step; it is relative to the document',
  )
}

function tooDeep(file: string): AudienceError {
  return failedError(
    'runs-too-deep',
    `${file} would be the ${MAX_DEPTH + 1}th pipeline in a chain of pipelines that run each other`,
    'find the circle: a pipeline that starts itself through other pipelines',
  )
}
