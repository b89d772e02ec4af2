import { stepKey } from '../core/run.ts'
import { describeRun, type RunDescription, type StepDescription } from '../runs/describe-run.ts'
import type { RunHistory, RunRow } from '../state/run-history.ts'
import type { Wait } from './test-result.ts'

/*
 * For a step of a run that another run started, a test names both steps: `refresh/ask` is the step `ask` of the run
 * that the step `refresh` started.
 */

type Runs = Pick<RunHistory, 'find' | 'records' | 'submission'>

/** A slash in the key of an item does not separate steps. */
const BELOW = /^([a-zA-Z]\w*(?:\[.+\](?:\.[a-zA-Z]\w*)?)?)\/(.+)$/

/** The steps in a name, the outermost first. The last one is the step that is meant. */
export function stepsIn(name: string): readonly [string, ...string[]] {
  const [, first, rest] = BELOW.exec(name) ?? []
  return first === undefined || rest === undefined ? [name] : [first, ...stepsIn(rest)]
}

/**
 * The status of a run that is held at the named step: `waiting`, or `running` if the step belongs to a run that this
 * run started.
 */
export function statusOfHeld(name: string): RunRow['status'] {
  return stepsIn(name).length > 1 ? 'running' : 'waiting'
}

/** The prefix of the names of a run's steps. It names the steps that started this run and the runs above it. */
export async function nameAbove(runId: string, runs: Runs): Promise<string> {
  const parent = (await runs.submission(runId))?.trigger.parent
  const row = typeof parent === 'string' ? await runs.find(parent) : undefined
  const step = row && describeRun(row, await runs.records(row.runId)).steps.find(({ childRun }) => childRun === runId)
  return row && step ? `${await nameAbove(row.runId, runs)}${stepKey(step)}/` : ''
}

/** The run that a step of another run has started; undefined if it has started none. */
export async function runBelow(row: RunRow, step: string, runs: Runs): Promise<RunRow | undefined> {
  const { steps } = describeRun(row, await runs.records(row.runId))
  const runId = steps.find((one) => stepKey(one) === step)?.childRun
  return runId === undefined ? undefined : runs.find(runId)
}

/** The steps of a run that are waiting for somebody, and the waiting steps of the runs that it has started. */
export async function waitsOf({ steps }: Pick<RunDescription, 'steps'>, runs: Runs): Promise<readonly Wait[]> {
  const waits: Wait[] = []
  for (const step of steps) {
    const name = stepKey(step)
    const reason = step.waitsFor ?? (isAtPartner(step) ? 'partner' : undefined)
    if (reason !== undefined) waits.push({ step: name, for: reason })
    const row = step.childRun === undefined ? undefined : await runs.find(step.childRun)
    if (!row || row.finishedAt !== undefined) continue
    for (const wait of await waitsOf(describeRun(row, await runs.records(row.runId)), runs))
      waits.push({ ...wait, step: `${name}/${wait.step}` })
  }
  return waits
}

/** A forEach is waiting if one of its items is. */
export function isAtPartner({ partnerWaits, items }: StepDescription): boolean {
  return partnerWaits !== undefined && items === undefined
}
