import type { Clock } from '../core/clock.ts'
import { UNFINISHED_STATUSES } from '../core/format/statuses.ts'
import { stepsOf } from '../core/pipeline.ts'
import { asksPartner, type Blocked, stepKey } from '../core/run.ts'
import type { RunEvent } from '../core/run-event.ts'
import { NESTING_STEP } from '../core/step-type.ts'
import { readPipeline } from '../daemon/documents/read-pipeline.ts'
import { answerCommands } from '../runs/answer-commands.ts'
import { decide } from '../runs/decide.ts'
import { describeRun, type StepDescription } from '../runs/describe-run.ts'
import { findRun, stateAfter } from '../runs/recorded-run.ts'
import type { RunHistory } from '../state/run-history.ts'
import { stepTypes } from '../steps/index.ts'
import type { OpenWait } from './views/event-sink.ts'

type Runs = Pick<RunHistory, 'find' | 'page' | 'records' | 'decisionsSent'>

const LOOK_AGAIN_MS = 1000
/** How often it checks again later, because the wait may take hours. */
const LOOK_AGAIN_LATER_MS = 10_000
/** One run starts fewer runs than this at a time. */
const MOST_CHILDREN = 1000

/**
 * Watches a run until all of its remaining work has waited for a person or a partner for `waitMs` without a break. Then
 * calls `leave` once with the waits. Events of the run and of the runs that it started say when to check; the records
 * decide.
 */
export function watchRest(
  runId: string,
  deps: {
    waitMs: number
    runs: Runs
    clock: Pick<Clock, 'now' | 'sleep'>
    leave: (waits: readonly OpenWait[]) => void
  },
): { event(event: RunEvent): void; stop(): void } {
  const { waitMs, runs, clock, leave } = deps
  const steps = new Map<string, 'rests' | 'works'>()
  let working = 0
  let looking: AbortController | undefined

  async function look({ signal }: AbortController): Promise<void> {
    let restsSince: number | undefined
    let againMs = LOOK_AGAIN_MS
    for (;;) {
      // A failed check does no harm, because the next one may be able to read the state.
      const waits = await openWaits(runId, runs, clock.now()).catch(() => undefined)
      if (signal.aborted) return
      restsSince = waits && (restsSince ?? clock.now())
      const leftMs = restsSince === undefined ? againMs : restsSince + waitMs - clock.now()
      if (waits && leftMs <= 0) return leave(waits)
      await clock.sleep(leftMs, signal)
      againMs = Math.min(2 * againMs, LOOK_AGAIN_LATER_MS)
    }
  }

  function note(key: string, now: 'rests' | 'works' | undefined): void {
    if (steps.get(key) === 'works') working -= 1
    if (now === 'works') working += 1
    if (now) steps.set(key, now)
    else steps.delete(key)
  }

  return {
    event(event) {
      const now = standingAfter(event)
      if (now === 'same') return
      note('step' in event ? `${event.runId} ${stepKey(event)}` : event.runId, now)
      looking?.abort()
      looking = undefined
      if (working > 0 || steps.size === 0) return
      looking = new AbortController()
      look(looking).catch(() => undefined)
    },
    stop: () => looking?.abort(),
  }
}

/**
 * Whether a step, or a run in the queue, is working or at rest after an event; undefined if it has ended or left the
 * queue. A step that runs another pipeline counts as working while that pipeline is working.
 */
function standingAfter(event: RunEvent): 'rests' | 'works' | 'same' | undefined {
  switch (event.event) {
    case 'step.started':
      return event.uses === NESTING_STEP ? 'rests' : 'works'
    case 'step.decided':
    case 'step.unblocked':
    case 'step.retry':
      return 'works'
    case 'run.queued':
    case 'step.waiting':
    case 'step.blocked':
      return 'rests'
    case 'job.status':
      return asksPartner(event) ? 'rests' : 'works'
    case 'run.started':
    case 'step.finished':
      return undefined
    default:
      return 'same'
  }
}

/**
 * What a run is waiting for, if no part of it continues on its own; undefined otherwise. A queued run waits for
 * everything that the run before it waits for. `asked`: the runs that wait for this run, directly or indirectly.
 */
async function openWaits(
  runId: string,
  runs: Runs,
  now: number,
  asked: readonly string[] = [],
): Promise<readonly OpenWait[] | undefined> {
  const row = await findRun(runs, runId)
  const records = await runs.records(runId)
  const state = stateAfter(runId, records)
  const pipeline = readPipeline(state.submission)
  if (row.finishedAt !== undefined || asked.includes(runId)) return undefined
  const { behind } = state.submission.queued ?? {}
  if (row.status === 'queued') return behind === undefined ? undefined : openWaits(behind, runs, now, [...asked, runId])
  // `env` may be empty here: it affects the content of the next records, but not whether there are any.
  if (decide({ runId, pipeline, state, stepTypes, env: {} }, now).records.length > 0) return undefined
  const waits: OpenWait[] = []
  let nesting = 0
  for (const step of describeRun(row, records, await runs.decisionsSent(runId)).steps) {
    if (step.status !== 'running' && step.status !== 'waiting') continue
    if (step.items !== undefined || step.blocked?.by.runId === runId) continue
    const wait = step.blocked ? await waitBehind(step.blocked.by, runs) : waitOf(runId, step)
    if (wait) waits.push(wait)
    else if (step.blocked) return undefined
    else if (stepsOf(pipeline).find(({ id }) => id === step.step)?.uses === NESTING_STEP) nesting += 1
    else return undefined
  }
  const { rows } = await runs.page({ parent: runId, status: UNFINISHED_STATUSES, limit: MOST_CHILDREN })
  // A step that starts a run has not started it yet.
  if (rows.length < nesting) return undefined
  for (const child of rows) {
    const below = await openWaits(child.runId, runs, now, [...asked, runId])
    if (!below) return undefined
    waits.push(...below)
  }
  const different = new Map(waits.map((wait) => [`${wait.runId} ${wait.step}`, wait]))
  return waits.length > 0 ? [...different.values()] : undefined
}

/** Finds what a step of another run is waiting for. The blocked step continues only after that step ends. */
async function waitBehind({ runId, step: key }: Blocked['by'], runs: Runs): Promise<OpenWait | undefined> {
  const row = await runs.find(runId)
  // Most of these runs are working. Nothing more is read about them.
  if (row?.status !== 'waiting' && row?.partnerWaits === undefined) return undefined
  const { steps } = describeRun(row, await runs.records(runId), await runs.decisionsSent(runId))
  const step = steps.find((one) => (one.execution ?? stepKey(one)) === key)
  return step && waitOf(runId, step)
}

function waitOf(runId: string, step: StepDescription): OpenWait | undefined {
  const base = { runId, step: step.execution ?? stepKey(step) }
  const { waitsFor, sent, jobs, partnerWaits, startedAt } = step
  if (waitsFor) {
    if (sent) return undefined
    return { ...base, reason: waitsFor, since: startedAt, commands: answerCommands(runId, step) }
  }
  const job = jobs.at(-1)
  if (!partnerWaits || !job || !asksPartner(job)) return undefined
  const { counterpart, since } = partnerWaits
  return { ...base, reason: 'partner', since, jobId: job.jobId, counterpart, commands: [] }
}
