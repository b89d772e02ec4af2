import { stepKey } from '../core/run.ts'
import { answerCommands } from '../runs/answer-commands.ts'
import { describeBlocked } from '../runs/describe-blocked.ts'
import { describeRun } from '../runs/describe-run.ts'
import type { BlockedStep, RunRow } from '../state/run-history.ts'
import type { ReadableState } from '../state/state.ts'
import { unlessDamaged } from '../state/state-damage.ts'
import type { StepBlocked } from './status-report.ts'

type Runs = Pick<ReadableState['runs'], 'blocked' | 'find' | 'records' | 'decisionsSent'>

const MOST = 100
/** Rows of a moment before may lead round in a circle. */
const MOST_LINKS = 10

/** The steps that wait for another step, of all unfinished runs or of some; with what frees them if a person has to. */
export async function stepsBlocked(runs: Runs, runIds?: readonly string[]): Promise<readonly StepBlocked[]> {
  const blocked = await runs.blocked({ runIds, limit: MOST })
  const known = new Map<string, Promise<Cause>>()
  const shown: StepBlocked[] = []
  for (const one of blocked) {
    const root = await rootOf(one, runs)
    const key = `${root.by.runId} ${root.by.step}`
    const cause = known.get(key) ?? causeOf(root, runs)
    known.set(key, cause)
    const { why, commands } = await cause
    const texts = [describeBlocked(one)]
    if (root !== one) texts.push(`which ${describeBlocked({ ...root, runId: '' })}`)
    if (why !== undefined) texts.push(why)
    shown.push({ ...one, message: texts.join('; '), commands })
  }
  return shown
}

/** Who is waited for may itself wait. */
async function rootOf(blocked: BlockedStep, runs: Runs): Promise<BlockedStep> {
  let root = blocked
  for (let links = 0; links < MOST_LINKS; links += 1) {
    const { runId, step } = root.by
    const next = (await runs.blocked({ runIds: [runId], limit: MOST })).find((one) => one.step === step)
    if (!next) break
    root = next
  }
  return root
}

interface Cause {
  readonly why?: string
  readonly commands: readonly string[]
}

/** Why the step that is waited for does not go on, and what a person can do; nothing if it does. */
async function causeOf({ by: { runId, step } }: BlockedStep, runs: Runs): Promise<Cause> {
  const row = await runs.find(runId)
  if (!row || row.finishedAt !== undefined) return { commands: [] }
  const answers = row.status === 'waiting' ? await answersTo(row, step, runs) : []
  const cancel = `audience runs cancel ${runId}`
  if (answers.length > 0) return { why: 'that step waits for a person', commands: [...answers, cancel] }
  if (row.owner !== undefined || row.queuedFor === 'worker') return { commands: [] }
  return { why: `no process works on run ${runId}`, commands: [`audience runs resume ${runId}`, cancel] }
}

async function answersTo(row: RunRow, key: string, runs: Runs): Promise<readonly string[]> {
  const records = (await unlessDamaged(runs.records(row.runId))) ?? []
  if (records.length === 0) return []
  const { steps } = describeRun(row, records, await runs.decisionsSent(row.runId))
  const asked = steps.find((step) => stepKey(step) === key && step.waitsFor !== undefined)
  return asked ? answerCommands(row.runId, asked) : []
}
