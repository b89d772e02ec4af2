import { existsSync } from 'node:fs'
import { recordDecision, stepToDecide } from '../acts/record-decision.ts'
import { retryOf, startRetry } from '../acts/retry-run.ts'
import { startRun } from '../acts/start-run.ts'
import { DAY_MS } from '../core/duration.ts'
import { type AudienceError, failedError } from '../core/errors.ts'
import { formatTimeLimit } from '../core/format/duration-text.ts'
import { UNFINISHED_STATUSES } from '../core/format/statuses.ts'
import type { JsonObject } from '../core/json.ts'
import { stepKey } from '../core/run.ts'
import { readPipeline } from '../daemon/documents/read-pipeline.ts'
import type { PlanSummary } from '../pipeline/plan-summary.ts'
import { type InputSources, resolveInputs } from '../pipeline/resolve-inputs.ts'
import { describeRun } from '../runs/describe-run.ts'
import { prepareRun } from '../runs/prepare-run.ts'
import type { RunRow } from '../state/run-history.ts'
import { isOwnRun, newestRun } from './own-runs.ts'
import { runBelow, stepsIn } from './steps-below.ts'
import type { TestAct } from './test-document.ts'
import type { World } from './world.ts'
import type { WorldFiles } from './world-files.ts'

/** Who acts in a test. */
const ACTOR = { by: 'test', comment: 'audience test' } as const
/** Long enough for a schedule that fires once a year. */
const SLOT_WITHIN_MS = 400 * DAY_MS
/** How long a dropped file may wait before a run takes it. */
const TAKEN_WITHIN_MS = 120_000

/** Does what a test says, and lets time pass until everything that follows has happened. Throws AudienceErrors. */
export async function perform(
  act: TestAct,
  world: World,
  files: WorldFiles,
  everyNight: () => Promise<void>,
): Promise<void> {
  world.limitLeaps()
  switch (act.kind) {
    case 'run':
      await world.during(start(act.inputs, world))
      break
    case 'nights':
      for (let night = 0; night < act.count; night++) {
        await everyNight()
        await world.reach(world.time.now() + DAY_MS)
        await world.settle()
        await world.noteRequests()
        world.limitLeaps()
      }
      return
    case 'slot': {
      await nextSlot(act.trigger, world)
      break
    }
    case 'wait':
      await world.reach(world.time.now() + act.ms)
      break
    case 'drop': {
      const before = world.runner.submitted.size
      for (const [name, spec] of act.files) await world.during(files.write(name, spec))
      world.time.stir()
      await world.goOn(() => world.runner.submitted.size > before, world.time.now() + TAKEN_WITHIN_MS)
      break
    }
    case 'decide':
      await world.during(decide(act, world))
      break
    case 'partner':
      await world.during(answerAsPartner(act, world))
      break
    case 'retry':
      await world.during(retry(act.from, world))
      break
    case 'cancel':
      await world.during(cancel(world))
      break
    case 'nothing':
      break
  }
  world.time.stir()
  await world.settle()
}

/** Waits until a run of a schedule begins: of the named one, or of any if none is named. */
async function nextSlot(trigger: string | undefined, world: World): Promise<void> {
  for (;;) {
    const known = new Set(world.runner.submitted)
    const begun = () => [...world.runner.submitted].filter((runId) => !known.has(runId))
    const until = world.time.now() + SLOT_WITHIN_MS
    if (!(await world.goOn(() => begun().length > 0, until)))
      throw nothingWaits(`no slot comes within ${formatTimeLimit(SLOT_WITHIN_MS)}`)
    for (const runId of begun()) {
      const { kind, id } = (await world.runner.app.state.runs.submission(runId))?.trigger ?? {}
      if (kind === 'schedule' && (trigger === undefined || id === trigger)) return
    }
    await world.settle()
  }
}

/** What `audience plan` would say after an act, for a run with the same inputs. Throws AudienceErrors. */
export function planAfter(act: TestAct, world: World): Promise<PlanSummary> {
  const inputs = inputsIn(world, act.kind === 'run' ? act.inputs : {}, { keepMissing: true })
  return world.during(world.runner.plan(inputs))
}

/** The inputs of a run of the tested pipeline. */
function inputsIn(world: World, values: JsonObject, options: Pick<InputSources, 'keepMissing'> = {}): JsonObject {
  const [{ pipeline, folder }] = world.runner.documents
  return resolveInputs(pipeline, { ...options, values, cwd: folder, exists: existsSync, checkFile: () => undefined })
}

async function start(inputs: JsonObject, world: World): Promise<void> {
  const {
    app,
    surroundings,
    documents: [{ pipeline, folder }],
  } = world.runner
  const resolved = inputsIn(world, inputs)
  const wanted = { pipeline, folder, inputs: resolved, trigger: { kind: 'manual' } as const, startedBy: ACTOR }
  await startRun(await prepareRun(wanted, { ...app, ...surroundings }), app.engine)
}

async function decide(
  { step: named, decision, by }: Extract<TestAct, { kind: 'decide' }>,
  world: World,
): Promise<void> {
  const { runs } = world.runner.app.state
  const { row, name } = await stepWith(named, (one) => one.status === 'waiting', world)
  const step = await stepToDecide({ row, name, decision }, { runs, readPipeline })
  // The actor is somebody who may decide, but never the person who started the run.
  const actor = { ...ACTOR, by: by ?? step.approval?.approvers?.[0] ?? 'another person' }
  await recordDecision({ runId: row.runId, step, decision, actor }, { runs })
}

async function answerAsPartner({ does, step }: Extract<TestAct, { kind: 'partner' }>, world: World): Promise<void> {
  const { runs } = world.runner.app.state
  const { row, name } = await stepWith(step, () => true, world)
  const { steps } = describeRun(row, await runs.records(row.runId))
  const jobId = steps.find((one) => stepKey(one) === name)?.jobs.at(-1)?.jobId
  if (jobId === undefined) throw nothingWaits(`step ${name} of run ${row.runId} has no job at the service`)
  await world.control(`jobs.${does}`, { id: jobId })
}

async function retry(from: string | undefined, world: World): Promise<void> {
  const { app, surroundings } = world.runner
  const { runs } = app.state
  const last = await newestRun(runs)
  if (!last) throw nothingWaits('there is no run to retry')
  const { wanted } = await retryOf({ runId: last.runId, from }, { runs, readPipeline })
  await startRetry({ ...wanted, startedBy: ACTOR }, { ...app, ...surroundings })
}

async function cancel(world: World): Promise<void> {
  const { runId } = await runWith(() => true, world)
  await world.runner.app.engine.cancel(runId, ACTOR)
}

/**
 * Finds a step by its name in a test, and the run of that step: the newest unfinished run that fits, or a run below
 * that one.
 */
async function stepWith(
  named: string,
  isWanted: (row: RunRow) => boolean,
  world: World,
): Promise<{ readonly row: RunRow; readonly name: string }> {
  const { runs } = world.runner.app.state
  const [first, ...below] = stepsIn(named)
  let name = first
  let row = await runWith(below.length > 0 ? () => true : isWanted, world)
  for (const next of below) {
    const started = await runBelow(row, name, runs)
    if (!started) throw nothingWaits(`step ${name} of run ${row.runId} has started no run`)
    row = started
    name = next
  }
  return { row, name }
}

/** The newest unfinished run that fits and that no other run started. */
async function runWith(isWanted: (row: RunRow) => boolean, world: World): Promise<RunRow> {
  const { rows } = await world.runner.app.state.runs.page({ status: UNFINISHED_STATUSES, limit: 100 })
  const found = rows.find((row) => isOwnRun(row) && isWanted(row))
  if (found) return found
  const newest = await newestRun(world.runner.app.state.runs)
  const is = newest ? `the newest run, ${newest.runId}, has the status ${newest.status}` : 'there is no run'
  throw nothingWaits(`no run waits for that: ${is}`)
}

function nothingWaits(message: string): AudienceError {
  return failedError('nothing-waits', message)
}
