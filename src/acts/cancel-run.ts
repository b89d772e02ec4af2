import type { Clock } from '../core/clock.ts'
import type { Engine } from '../core/engine.ts'
import { type AudienceError, failedError, usageError } from '../core/errors.ts'
import { type Pipeline, withoutBlocks } from '../core/pipeline.ts'
import type { Actor, StoredRecord } from '../core/run.ts'
import type { Machine } from '../platform/machine.ts'
import { describeRun, type RunDescription } from '../runs/describe-run.ts'
import { findRun, recordedPipeline } from '../runs/recorded-run.ts'
import type { RunState } from '../runs/run-state.ts'
import type { RunHistory, RunRow } from '../state/run-history.ts'
import type { ReadableState } from '../state/state.ts'
import { personsWantedWithin } from '../status/runs-status.ts'
import type { PersonWanted } from '../status/status-report.ts'

const LOOK_EVERY_MS = 200
const REACTS_WITHIN_MS = 20_000

/**
 * A run that can be cancelled, with the jobs that continue at the service without the run. Throws `unknown-run` or
 * `run-ended`.
 */
export async function runToCancel(
  runId: string,
  { runs }: { runs: Pick<RunHistory, 'find' | 'records'> },
): Promise<{ readonly row: RunRow; readonly jobs: readonly string[] }> {
  const row = await findRun(runs, runId)
  if (row.finishedAt === undefined) return { row, jobs: jobsUnderWay(describeRun(row, await runs.records(runId))) }
  throw usageError('run-ended', `run ${runId} has ended: ${row.status}`)
}

/** The jobs that continue at the service if the run ends now. */
export function jobsUnderWay({ steps }: Pick<RunDescription, 'steps'>): string[] {
  return steps.flatMap(({ status, jobs }) => (status === 'running' ? (jobs.at(-1)?.jobId ?? []) : []))
}

/**
 * What became of a cancelled run. `here`: this process ends it; only the writes of `finallySteps` can still be in
 * doubt. `ended`: it has ended, perhaps before its owner got the message. `cleansUp`: its owner is working on the steps
 * under `finally`, which a cancel does not end. `asked`: the questions to people in the steps under `finally`.
 */
type Cancelled =
  | { readonly state: 'here'; readonly finallySteps: ReadonlySet<string>; readonly asked: readonly PersonWanted[] }
  | { readonly state: 'ended'; readonly status: RunRow['status'] }
  | { readonly state: 'cleansUp'; readonly asked: readonly PersonWanted[] }

interface CancelDeps {
  readPipeline: (source: RunState['submission']) => Pipeline
  engine: Pick<Engine, 'cancel' | 'resume'>
  runs: ReadableState['runs']
  clock: Pick<Clock, 'now' | 'sleep'>
  machine: Pick<Machine, 'pid' | 'host'>
}

/**
 * Cancels a run through its owner, or in this process if it has none, and waits until the run has ended or only cleans
 * up. A healthy owner acts quickly. If the owner dies in the meantime, this process takes the run over, unless the run
 * is queued for a worker. Throws `owner-silent`.
 */
export async function cancelRun(runId: string, actor: Actor, deps: CancelDeps): Promise<Cancelled> {
  const { engine, runs, clock } = deps
  await engine.cancel(runId, actor)
  const until = clock.now() + REACTS_WITHIN_MS
  for (;;) {
    const row = await findRun(runs, runId)
    if (isOurs(row, deps) || (await takeOver(row, deps))) break
    if (row.finishedAt !== undefined) return { state: 'ended', status: row.status }
    const records = await runs.records(runId)
    const isCancelled = describeRun(row, records).cancelled !== undefined
    const asked = isCancelled ? await askedByFinally(row, records, deps) : []
    const isLate = clock.now() > until
    if (isCancelled && (asked.length > 0 || isLate)) return { state: 'cleansUp', asked }
    if (isLate) throw ownerSilent(row)
    await clock.sleep(LOOK_EVERY_MS)
  }
  const records = await runs.records(runId)
  const asked = await askedByFinally(await findRun(runs, runId), records, deps)
  return { state: 'here', finallySteps: finallySteps(records, deps), asked }
}

/** Processes in containers on different hosts often have the same id. */
function isOurs({ owner }: RunRow, { machine: { pid, host } }: Pick<CancelDeps, 'machine'>): boolean {
  return owner === `process ${pid} on ${host}`
}

/** Resumes a run if no other process is working on it. Returns whether this process is working on it now. */
async function takeOver({ runId, finishedAt, owner, queuedFor }: RunRow, deps: CancelDeps): Promise<boolean> {
  if (finishedAt !== undefined || owner !== undefined || queuedFor !== undefined) return false
  await deps.engine.resume(runId).catch(() => undefined)
  return isOurs(await findRun(deps.runs, runId), deps)
}

/** The questions to people in steps under `finally`, and in the runs that these steps started. */
async function askedByFinally(row: RunRow, records: readonly StoredRecord[], deps: CancelDeps) {
  const ids = finallySteps(records, deps)
  // All runs that other steps started have ended before `finally` begins.
  if (!describeRun(row, records).steps.some(({ step }) => ids.has(step))) return []
  const asked = await personsWantedWithin(row, deps.runs)
  return asked.filter(({ runId, step }) => runId !== row.runId || ids.has(step))
}

/** Empty if this version cannot read the document: a process of another version is working on it. */
function finallySteps(records: readonly StoredRecord[], { readPipeline }: CancelDeps): ReadonlySet<string> {
  const entries = recordedPipeline(records, readPipeline)?.finally ?? []
  return new Set([...entries, ...withoutBlocks(entries)].map(({ id }) => id))
}

function ownerSilent({ runId, owner }: RunRow): AudienceError {
  return failedError(
    'owner-silent',
    `${owner ?? 'the process that works on it'} was told to cancel run ${runId}, but has not done so`,
    'it will cancel the run when it continues; if it hangs, end that process and cancel again',
  )
}
