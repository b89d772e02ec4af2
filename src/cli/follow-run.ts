import type { Engine } from '../core/engine.ts'
import {
  AudienceError,
  type ErrorReport,
  EXIT_CODES,
  InvalidDocumentError,
  interruptedError,
  WAITS_EXIT_CODE,
} from '../core/errors.ts'
import { type StepRef, stepKey } from '../core/run.ts'
import type { RunEvent } from '../core/run-event.ts'
import { readPipeline } from '../daemon/documents/read-pipeline.ts'
import { decide } from '../runs/decide.ts'
import { createRecordTeller } from '../runs/record-teller.ts'
import { stateAfter } from '../runs/recorded-run.ts'
import { waitingRunsBelow } from '../runs/runs-below.ts'
import type { RunHistory } from '../state/run-history.ts'
import type { State } from '../state/state.ts'
import { stepTypes } from '../steps/index.ts'
import { openSink } from './open-sink.ts'
import { onFirstInterrupt, type Terminal } from './terminal.ts'
import type { NextWorker, OpenWait, WaitingEvent } from './views/event-sink.ts'
import { watchBlocked } from './watch-blocked.ts'
import { watchRest } from './watch-rest.ts'

export interface FollowFlags {
  readonly json?: true
  /** In milliseconds since 1970: earlier events are not printed again as lines. */
  readonly since?: number
  /** The run began earlier, so runs that it started may already be waiting for a person. */
  readonly isResumed?: true
  /**
   * The step that has just received a decision, and the number of its earlier decisions. Waits from before the new
   * decision no longer count.
   */
  readonly decided?: { readonly ref: StepRef; readonly earlier: number }
  /** Set if the run was cancelled. A cancel ends all steps except these, so only their writes can still be in doubt. */
  readonly doubtOnlyOf?: ReadonlySet<string>
  /**
   * Ends the command when the run has only waited for a person or a partner for `waitMs`. `goesOn` says which process
   * works on the run afterwards.
   */
  readonly leave?: { readonly waitMs: number; readonly goesOn: () => Promise<NextWorker> } | undefined
}

/** The parts of the runner that are needed to show a run. */
export interface RunView {
  readonly engine: Engine
  readonly state: Pick<State, 'runs'>
}

const STOP_WITHIN_MS = 5000

/**
 * Shows a run until it ends, or until it can continue only after a person decides about a write in doubt. An interrupt
 * leaves the run as recorded; a second interrupt ends the process immediately. Returns the exit code.
 */
export async function followRun(
  app: RunView,
  runId: string,
  { json, since = 0, isResumed, decided, doubtOnlyOf, leave }: FollowFlags,
  terminal: Terminal,
): Promise<number> {
  const { clock } = terminal.surroundings
  terminal.whenUnread('goOn')
  const sink = await openSink(terminal, json, since)
  const isBegun = isResumed || since > 0
  const past = isBegun ? (await pastEvents(runId, app.state.runs)).length : 0
  const mayStall = stallDetector(past, { decided, doubtOnlyOf })
  let told = 0
  const unlisten = onFirstInterrupt(terminal, () => void app.engine.stop(STOP_WITHIN_MS))
  // Besides this run, the process is working on the runs that this run started.
  const { runs } = app.state
  let left: Promise<readonly OpenWait[]> | undefined
  const rest =
    leave &&
    watchRest(runId, {
      waitMs: leave.waitMs,
      runs,
      clock,
      leave(waits) {
        // Recorded before this process ends, so that people get messages even if it is killed.
        left = runs.leave(runId, clock.now()).then(() => waits)
        void left.catch(() => undefined).then(() => app.engine.stop(STOP_WITHIN_MS))
      },
    })
  const unwatch = app.engine.watch((event) => {
    if (event.runId === runId) return
    rest?.event(event)
    if (event.event === 'step.waiting') sink.childWaits(event)
  })
  const { staysBlocked: tell } = sink
  const blocked = tell && watchBlocked(runId, { runs, clock, tell })
  const toItsEnd = async (): Promise<number> => {
    for await (const event of app.engine.events(runId)) {
      sink.event(event)
      blocked?.event(event)
      rest?.event(event)
      if (!NOT_RECORDED.includes(event.event)) told += 1
      if (event.event === 'run.queued' && Date.parse(event.at) >= since) await warnOfIdle(event.behind, app, terminal)
      if (event.event === 'run.finished') return event.status === 'succeeded' ? 0 : exitCodeOf(event.error)
      const all =
        !leave && mayStall(event)
          ? await eventsOfStalled(runId, app.state.runs, { decided, doubtOnlyOf, now: clock.now() })
          : undefined
      if (!all) continue
      for (const untold of all.slice(told)) sink.event(untold)
      return EXIT_CODES.failed
    }
    throw leftAlone(runId, (await app.state.runs.find(runId))?.status === 'queued')
  }
  try {
    if (isResumed) for (const event of await waitingChildren(runId, app.state.runs)) sink.childWaits(event)
    return await toItsEnd()
  } catch (error) {
    if (!leave || !left || !(error instanceof AudienceError) || error.kind !== 'interrupted') throw error
    sink.leaves({ runId, waits: await left, next: await leave.goesOn() })
    return WAITS_EXIT_CODE
  } finally {
    unwatch()
    rest?.stop()
    blocked?.stop()
    sink.close()
    unlisten()
  }
}

/** The error for a run that this process is not working on: it has not begun, or it is waiting for a person. */
function leftAlone(runId: string, isQueued: boolean): AudienceError {
  const resume = `audience runs resume ${runId}`
  return isQueued
    ? interruptedError(
        `run ${runId} stays in the queue`,
        `\`audience start\` runs it when its turn comes; to run it here: ${resume}; to remove it from the queue: audience runs cancel ${runId}`,
      )
    : interruptedError(`run ${runId} was interrupted`, `to continue it: ${resume}`)
}

/** A run without an owner keeps its group busy until a process resumes it. */
async function warnOfIdle(behind: string | undefined, app: RunView, { err }: Terminal): Promise<void> {
  const row = behind === undefined ? undefined : await app.state.runs.find(behind)
  // A run that is itself queued is ignored.
  if (!row || row.finishedAt !== undefined || row.status === 'queued' || row.owner !== undefined) return
  err.write(
    `no process is working on ${behind}: audience runs resume ${behind} resumes it, audience runs cancel ${behind} ends it\n`,
  )
}

/**
 * Detects the moment when every step that has begun has ended or is waiting for a person, or for a waiting step of the
 * same run, and at least one step is waiting for a decision that has not been sent yet. The first `past` events are
 * history; after them the state is current.
 */
function stallDetector(past: number, { decided, doubtOnlyOf }: Doubts): (event: RunEvent) => boolean {
  let told = 0
  let pastDecisions = decided ? decided.earlier + 1 : 0
  const inProgress = new Set<string>()
  const inDoubt = new Set<string>()
  return (event) => {
    told += 1
    if ('step' in event) {
      const key = stepKey(event)
      if (event.event === 'step.decided' && decided && key === stepKey(decided.ref)) pastDecisions -= 1
      if (BEGINNINGS.includes(event.event)) inProgress.add(key)
      if (event.event === 'step.blocked' && event.by.runId === event.runId) inProgress.delete(key)
      if (event.event === 'step.finished' || event.event === 'step.waiting') inProgress.delete(key)
      const staysInDoubt = doubtOnlyOf === undefined || doubtOnlyOf.has(event.step)
      if (event.event === 'step.waiting' && event.reason === 'decision' && staysInDoubt) inDoubt.add(key)
      else if (event.event !== 'job.status') inDoubt.delete(key)
    }
    if (told < past || (told > past && !STOPS.includes(event.event))) return false
    return pastDecisions <= 0 && inDoubt.size > 0 && inProgress.size === 0
  }
}

const BEGINNINGS: readonly string[] = ['step.started', 'step.decided', 'step.unblocked']
const STOPS: readonly string[] = ['step.waiting', 'step.blocked', 'step.finished']
const NOT_RECORDED: readonly string[] = ['step.progress', 'step.queued', 'step.looking']

type Doubts = Pick<FollowFlags, 'decided' | 'doubtOnlyOf'>

/**
 * The events of a run that is stalled according to its records; undefined if it is not, or if one of its steps has yet
 * to begin. An event may be out of date, because another step may have ended or begun since then.
 */
async function eventsOfStalled(
  runId: string,
  runs: Pick<RunHistory, 'records'>,
  { now, ...doubts }: Doubts & { now: number },
): Promise<readonly RunEvent[] | undefined> {
  const records = await runs.records(runId)
  const state = stateAfter(runId, records)
  const pipeline = readPipeline(state.submission)
  const events = createRecordTeller(runId, records, { readPipeline, stepTypes }, pipeline).tell(records)
  if (!events.map(stallDetector(events.length, doubts)).at(-1)) return undefined
  // `env` may be empty here: it affects the content of the next records, but not whether there are any.
  const { records: next } = decide({ runId, pipeline, state, stepTypes, env: {} }, now)
  return next.length === 0 ? events : undefined
}

/** Distinguishes a service that cannot be used from a run that failed. */
function exitCodeOf(error: ErrorReport | undefined): number {
  return error?.kind === 'unavailable' ? EXIT_CODES.unavailable : EXIT_CODES.failed
}

/** The current questions to people in the runs that a run has started. */
async function waitingChildren(
  parent: string,
  runs: Pick<RunHistory, 'page' | 'records'>,
): Promise<readonly WaitingEvent[]> {
  const rows = await waitingRunsBelow(parent, runs)
  const events = await Promise.all(rows.map(({ runId }) => pastEvents(runId, runs)))
  return events.flatMap(openQuestions)
}

/** The events of a run so far; none if another version started it and this one cannot read its document. */
async function pastEvents(runId: string, runs: Pick<RunHistory, 'records'>): Promise<readonly RunEvent[]> {
  const records = await runs.records(runId)
  try {
    return createRecordTeller(runId, records, { readPipeline, stepTypes }).tell(records)
  } catch (error) {
    if (error instanceof InvalidDocumentError) return []
    throw error
  }
}

function openQuestions(events: readonly RunEvent[]): WaitingEvent[] {
  const open = new Map<string, WaitingEvent>()
  for (const event of events) {
    if (event.event === 'step.waiting') open.set(stepKey(event), event)
    else if (event.event === 'step.decided' || event.event === 'step.finished') open.delete(stepKey(event))
  }
  return [...open.values()]
}
