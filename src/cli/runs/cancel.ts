import { runToCancel } from '../../acts/cancel-run.ts'
import type { App } from '../../app/app.ts'
import { EXIT_CODES, failedError, InvalidDocumentError } from '../../core/errors.ts'
import { withoutBlocks } from '../../core/pipeline.ts'
import { type StoredRecord, stepKey } from '../../core/run.ts'
import { describeRun } from '../../runs/describe-run.ts'
import type { RunRow } from '../../state/run-history.ts'
import { personsWantedWithin } from '../../status/runs-status.ts'
import { followRun } from '../follow-run.ts'
import { runNamed } from '../run-named.ts'
import type { AppFlags } from '../settings-of.ts'
import { type SignFlags, signedBy } from '../signed.ts'
import type { Terminal } from '../terminal.ts'
import { withApp } from '../with-app.ts'
import { withState } from '../with-state.ts'

export interface CancelFlags extends AppFlags, SignFlags {}

/** Cancels a run: through its owner if it has one, otherwise in this process. Says what continues at the service. */
export async function cancelRun(given: string, flags: CancelFlags, terminal: Terminal): Promise<number> {
  const signed = signedBy(flags, terminal)
  const runId = await runNamed(given, terminal)
  const { row: run, jobs } = await withState(terminal, (state) => runToCancel(runId, state))
  const cancel = async (app: App) => {
    const since = terminal.surroundings.clock.now()
    await app.engine.cancel(runId, signed)
    const exitCode = (await isOurs(runId, app)) ? undefined : await untilEnded(runId, app, terminal)
    if (exitCode !== undefined) return exitCode
    for (const line of await askedByFinally(runId, app)) terminal.out.write(`${line}\n`)
    const doubtOnlyOf = await idsOfFinally(await app.state.runs.records(runId))
    return followRun(app, runId, { ...flags, since, doubtOnlyOf }, terminal)
  }
  const exitCode = await withApp(flags, terminal, cancel, { run, mayLackToken: true })
  for (const job of jobs) terminal.out.write(`job ${job} continues at the service; it cannot be stopped there\n`)
  // A run that ended as cancelled is the expected result.
  return exitCode === 1 ? 0 : exitCode
}

async function isOurs(runId: string, app: App): Promise<boolean> {
  const row = await app.state.runs.find(runId)
  return row?.owner?.startsWith(`process ${process.pid} `) ?? false
}

/**
 * The owner has received the message; a healthy owner acts on it quickly. Undefined if the owner has died in the
 * meantime and this process has taken over the run.
 */
async function untilEnded(runId: string, app: App, { out, surroundings }: Terminal): Promise<number | undefined> {
  const { clock } = surroundings
  const until = clock.now() + REACTS_WITHIN_MS
  for (;;) {
    const row = await app.state.runs.find(runId)
    if (row?.finishedAt !== undefined) {
      out.write(`${row.status} ${runId}\n`)
      return row.status === 'cancelled' ? 0 : EXIT_CODES.failed
    }
    if (row && row.owner === undefined && (await takeOver(row, app))) return undefined
    const isCancelled = row && describeRun(row, await app.state.runs.records(runId)).cancelled
    const asked = isCancelled ? await askedByFinally(runId, app) : []
    if (isCancelled && (asked.length > 0 || clock.now() > until)) {
      out.write(`run ${runId} is cancelled; its steps under finally continue: audience runs watch ${runId}\n`)
      for (const line of asked) out.write(`${line}\n`)
      return 0
    }
    if (clock.now() > until) {
      throw failedError(
        'owner-silent',
        `${row?.owner ?? 'the process that works on it'} was told to cancel run ${runId}, but has not done so`,
        'it will cancel the run when it continues; if it hangs, end that process and cancel again',
      )
    }
    await clock.sleep(200)
  }
}

/**
 * In this process, resumes a run that has no owner, unless the run is queued for a worker. Returns whether this process
 * now owns the run.
 */
async function takeOver({ runId, queuedFor }: RunRow, app: App): Promise<boolean> {
  if (queuedFor !== undefined) return false
  await app.engine.resume(runId).catch(() => undefined)
  return isOurs(runId, app)
}

/**
 * The questions to people in steps under `finally`, and in the runs that these steps started. A cancel does not end
 * these steps.
 */
async function askedByFinally(runId: string, { state: { runs } }: App): Promise<readonly string[]> {
  const row = await runs.find(runId)
  const records = await runs.records(runId)
  const ids = await idsOfFinally(records)
  // All runs that other steps started have ended before `finally` begins.
  if (!row || !describeRun(row, records).steps.some(({ step }) => ids.has(step))) return []
  const asked = await personsWantedWithin(row, runs)
  return asked
    .filter(({ runId: of, step }) => of !== runId || ids.has(step))
    .map(
      ({ runId: of, commands, ...ref }) =>
        `run ${of}, step ${stepKey(ref)}, waits for a person: ${commands.join(', or ')}`,
    )
}

async function idsOfFinally([first]: readonly StoredRecord[]): Promise<ReadonlySet<string>> {
  if (first?.record.type !== 'run.submitted') return new Set()
  const { readPipeline } = await import('../../daemon/documents/read-pipeline.ts')
  try {
    const entries = readPipeline(first.record).finally
    return new Set([...entries, ...withoutBlocks(entries)].map(({ id }) => id))
  } catch (error) {
    // A process of another version is working on it.
    if (error instanceof InvalidDocumentError) return new Set()
    throw error
  }
}

const REACTS_WITHIN_MS = 20_000
