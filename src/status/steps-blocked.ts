import { stepKey } from '../core/run.ts'
import { answerCommands } from '../runs/answer-commands.ts'
import { describeRun, type StepDescription } from '../runs/describe-run.ts'
import { describeBlocked } from '../runs/describe-waits.ts'
import type { BlockedStep, RunRow } from '../state/run-history.ts'
import type { ReadableState } from '../state/state.ts'
import { unlessDamaged } from '../state/state-damage.ts'
import type { StepBlocked } from './status-report.ts'

type Runs = Pick<ReadableState['runs'], 'blocked' | 'find' | 'records' | 'decisionsSent'>

const MOST = 100
/** Limits the links that are followed, because rows that were read at different moments may form a circle. */
const MOST_LINKS = 10

/**
 * The steps of all or some unfinished runs that are waiting for another step, with the command that frees them if a
 * person must do so.
 */
export async function stepsBlocked(runs: Runs, runIds?: readonly string[]): Promise<readonly StepBlocked[]> {
  const blocked = await runs.blocked({ runIds, limit: MOST })
  // Many steps may wait for the steps of one run.
  const blockedIn = once((runId) => runs.blocked({ runIds: [runId], limit: MOST }))
  const holder = once((runId) => holderOf(runId, runs))
  const shown: StepBlocked[] = []
  for (const one of blocked) {
    const root = await rootOf(one, blockedIn)
    const { why, commands } = causeOf(root, await holder(root.by.runId))
    const texts = [describeBlocked(one)]
    if (root !== one) texts.push(`which ${describeBlocked({ ...root, runId: '' })}`)
    if (why !== undefined) texts.push(why)
    shown.push({ ...one, message: texts.join('; '), commands })
  }
  return shown
}

/** A step that others wait for may itself wait. */
async function rootOf(
  blocked: BlockedStep,
  blockedIn: (runId: string) => Promise<readonly BlockedStep[]>,
): Promise<BlockedStep> {
  let root = blocked
  for (let links = 0; links < MOST_LINKS; links += 1) {
    const { runId, step } = root.by
    const next = (await blockedIn(runId)).find((one) => one.step === step)
    if (!next) break
    root = next
  }
  return root
}

interface Cause {
  readonly why?: string
  readonly commands: readonly string[]
}

/** Why the step that others wait for does not continue, and what a person can do; undefined if it continues. */
function causeOf({ by: { runId, step } }: BlockedStep, holder: Holder | undefined): Cause {
  if (!holder) return { commands: [] }
  const { row, asked } = holder
  const waiting = asked.find((one) => stepKey(one) === step)
  const cancel = `audience runs cancel ${runId}`
  if (waiting) return { why: 'that step waits for a person', commands: [...answerCommands(runId, waiting), cancel] }
  if (row.owner !== undefined || row.queuedFor === 'worker') return { commands: [] }
  return { why: `no process is working on run ${runId}`, commands: [`audience runs resume ${runId}`, cancel] }
}

/** A run that others wait for. */
interface Holder {
  readonly row: RunRow
  /** Its steps that wait for a person. */
  readonly asked: readonly StepDescription[]
}

/** Undefined if the run has ended. */
async function holderOf(runId: string, runs: Runs): Promise<Holder | undefined> {
  const row = await runs.find(runId)
  if (!row || row.finishedAt !== undefined) return undefined
  return { row, asked: row.status === 'waiting' ? await askedOf(row, runs) : [] }
}

/** The steps of a run that wait for a person; none if its records are damaged. */
export async function askedOf(
  row: RunRow,
  runs: Pick<Runs, 'records' | 'decisionsSent'>,
): Promise<readonly StepDescription[]> {
  const records = (await unlessDamaged(runs.records(row.runId))) ?? []
  if (records.length === 0) return []
  const { steps } = describeRun(row, records, await runs.decisionsSent(row.runId))
  return steps.filter(({ waitsFor }) => waitsFor !== undefined)
}

/** Reads each run at most once. */
function once<T>(read: (runId: string) => Promise<T>): (runId: string) => Promise<T> {
  const known = new Map<string, Promise<T>>()
  return (runId) => {
    const found = known.get(runId) ?? read(runId)
    known.set(runId, found)
    return found
  }
}
