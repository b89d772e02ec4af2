import { AudienceError } from '../core/errors.ts'
import type { StepRef, WaitReason } from '../core/run.ts'
import { describeRun } from '../runs/describe-run.ts'
import type { Journal } from '../state/journal.ts'
import { findRun } from './with-history.ts'

/** A step execution as people write it: `activate`, or `each[3]`. */
export function parseStepRef(text: string): StepRef {
  const match = /^([a-zA-Z]\w*)(?:\[(\d{1,6})\])?$/.exec(text)
  if (match?.[1] !== undefined) return { step: match[1], ...(match[2] !== undefined && { index: Number(match[2]) }) }
  throw new AudienceError({
    code: 'bad-step',
    kind: 'usage',
    message: `"${text}" is no step`,
    hint: 'write its id, such as activate or each[3]',
  })
}

/** What a step of a run waits for; undefined if it does not wait. */
export function waitingStep(journal: Journal, runId: string, ref: StepRef): WaitReason | undefined {
  return describedStep(journal, runId, ref)?.waitsFor
}

/** How many decisions about a step are recorded. */
export function decisionsAbout(journal: Journal, runId: string, ref: StepRef): number {
  return describedStep(journal, runId, ref)?.decisions.length ?? 0
}

function describedStep(journal: Journal, runId: string, ref: StepRef) {
  const { steps } = describeRun(findRun(journal, runId), journal.records(runId))
  return steps.find(({ step, index }) => step === ref.step && index === ref.index)
}
