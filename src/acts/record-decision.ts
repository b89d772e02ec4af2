import { didYouMean } from '../core/did-you-mean.ts'
import { AudienceError, usageError } from '../core/errors.ts'
import { utcTime } from '../core/format/time-text.ts'
import { type Pipeline, sectionEntries } from '../core/pipeline.ts'
import {
  type Actor,
  type HumanDecision,
  STEP_KEY,
  type StoredRecord,
  stepKey,
  stepRef,
  WAITS_FOR,
  type WaitReason,
} from '../core/run.ts'
import { answerCommands } from '../runs/answer-commands.ts'
import { refusedDecision } from '../runs/approval-terms.ts'
import { describeRun, type RunDescription, type StepDescription } from '../runs/describe-run.ts'
import { describeDecision } from '../runs/describe-signed.ts'
import { unknownRun } from '../runs/recorded-run.ts'
import type { AuditLog } from '../state/audit-log.ts'
import type { RunHistory, RunRow } from '../state/run-history.ts'
import type { ReadableState } from '../state/state.ts'
import { personsWantedWithin } from '../status/runs-status.ts'
import type { PersonWanted } from '../status/status-report.ts'

export interface DecideDeps {
  runs: ReadableState['runs']
  /** Reads the document of a run; needed only if somebody names a step that has not begun. */
  readPipeline: (source: DocumentSource) => Pipeline | Promise<Pipeline>
}

type DocumentSource = Extract<StoredRecord['record'], { type: 'run.submitted' }>

/**
 * Finds a step of a run by the name that people write, and returns it if it is waiting for this kind of decision.
 * Otherwise throws an AudienceError of the kind `usage` that says why the step is not waiting: `unknown-step`,
 * `run-ended`, `already-decided` or `not-waiting`.
 */
export async function stepToDecide(
  { row, name, decision }: { row: RunRow; name: string; decision: HumanDecision },
  { runs, readPipeline }: DecideDeps,
): Promise<StepDescription> {
  if (!STEP_KEY.test(name)) throw notAStep(name)
  const records = await runs.records(row.runId)
  const [first] = records
  if (first?.record.type !== 'run.submitted') throw unknownRun(row.runId)
  const run = describeRun(row, records)
  const step = run.steps.find((one) => stepKey(one) === name)
  const reason = decision === 'approved' || decision === 'rejected' ? 'approval' : 'decision'
  if (step?.waitsFor === reason && run.finishedAt === undefined) return step
  const isOpen = run.finishedAt === undefined
  const wanted = isOpen ? await personsWantedWithin(row, runs) : []
  const below = wanted.filter(({ runId }) => runId !== row.runId)
  const ids = isOpen && !step ? sectionEntries(await readPipeline(first.record)).map(({ id }) => id) : []
  throw notWaiting(run, { step, name, reason, ids, below })
}

/**
 * Records a person's decision about a step. The current or next owner of its run acts on it. Throws `not-an-approver`,
 * `own-run`, `comment-required` or `already-decided`; such a refusal is recorded in `audit`. The API gives no `audit`,
 * because it records every refused act itself. `account` is the user of the operating system, if there is one.
 */
export async function recordDecision(
  {
    runId,
    step,
    decision,
    actor,
    account,
  }: {
    runId: string
    step: StepDescription
    decision: HumanDecision
    actor: Actor
    account?: string | undefined
  },
  { runs, audit }: { runs: Pick<RunHistory, 'send'>; audit?: Pick<AuditLog, 'add'> },
): Promise<void> {
  const name = stepKey(step)
  try {
    const refused = refusedDecision(name, step.approval ?? {}, { ...actor, account })
    if (refused) throw refused
    await runs.send(runId, { kind: 'decide', ref: stepRef(step), decision, ...actor })
  } catch (error) {
    if (error instanceof AudienceError && error.kind === 'usage') {
      const detail = `${name} ${decision}`
      await audit?.add({ ...actor, act: 'run.decide', subject: runId, detail, outcome: error.code })
    }
    throw error
  }
}

function notAStep(text: string): AudienceError {
  const hint = "write its id, such as activate, 'each[3]' or 'audience[seg07].release'"
  return usageError('unknown-step', `"${text}" is not a step`, hint)
}

function notWaiting(
  run: RunDescription,
  wanted: {
    step: StepDescription | undefined
    name: string
    reason: WaitReason
    ids: readonly string[]
    below: readonly PersonWanted[]
  },
): AudienceError {
  const { step, name, reason, ids, below } = wanted
  const { runId } = run
  const waiting = run.steps.filter(({ waitsFor }) => waitsFor === reason).map(stepKey)
  const show = below.map(answerBelow).join('; ') || `\`audience runs show ${runId}\` shows what it does`
  const decided = step?.waitsFor === undefined ? step?.decisions.at(-1) : undefined
  if (decided) {
    const how = describeDecision(decided, utcTime)
    return usageError('already-decided', `step "${name}" of run ${runId} already has its decision: ${how}`, show)
  }
  if (run.finishedAt !== undefined)
    return usageError('run-ended', `run ${runId} has ended: ${run.status}`, `\`audience runs show ${runId}\` shows it`)
  if (!step) {
    const known = [...new Set([...run.steps.map(stepKey), ...ids])]
    const others = waiting.length > 0 ? `it waits for ${WAITS_FOR[reason]} at ${waiting.join(', ')}` : show
    if (ids.includes(name)) return usageError('unknown-step', `step "${name}" of run ${runId} has not begun`, others)
    // Never suggest a step of another item.
    const meant = name.includes('[') || below.length > 0 ? undefined : didYouMean(name, known)
    return usageError('unknown-step', `run ${runId} has no step "${name}"`, meant ?? others)
  }
  const does = step.waitsFor
    ? `waits for ${WAITS_FOR[step.waitsFor]}, not for ${WAITS_FOR[reason]}`
    : `is not waiting: ${step.status}`
  const hint = step.waitsFor ? answerCommands(runId, step).join(', or ') : show
  return usageError('not-waiting', `step "${name}" of run ${runId} ${does}`, hint)
}

function answerBelow(wanted: PersonWanted): string {
  return `run ${wanted.runId}, which it started, waits at ${stepKey(wanted)}: ${wanted.commands.join(', or ')}`
}
