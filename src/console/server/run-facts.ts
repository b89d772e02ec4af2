import { mayDo } from '../../core/role.ts'
import { type StoredRecord, stepKey, stepRef } from '../../core/run.ts'
import { refusedDecision } from '../../runs/approval-terms.ts'
import { describeRun, type RunDescription, type StepDescription } from '../../runs/describe-run.ts'
import { findRun, unknownRun } from '../../runs/recorded-run.ts'
import { withWaitsBelow } from '../../runs/waits-below.ts'
import type { RunHistory, RunRow } from '../../state/run-history.ts'
import type { StepBlocked } from '../../status/status-report.ts'
import type { Answer } from '../api/api-operation.ts'
import type { stepItem } from '../api/run-schemas.ts'
import type { Caller } from './caller.ts'
import { unansweredRequest } from './unanswered-request.ts'

/** A run with its records and what they say. */
export interface RunWithRecords {
  readonly row: RunRow
  readonly records: readonly StoredRecord[]
  readonly submission: Extract<StoredRecord['record'], { type: 'run.submitted' }>
  readonly run: RunDescription
}

/** Throws `unknown-run`. */
export async function readRun(
  runs: Pick<RunHistory, 'find' | 'records' | 'page'>,
  runId: string,
): Promise<RunWithRecords> {
  const row = await findRun(runs, runId)
  const records = await runs.records(runId)
  const submission = records[0]?.record
  // Without records, it was removed between the two reads.
  if (submission?.type !== 'run.submitted') throw unknownRun(runId)
  return { row, records, submission, run: await withWaitsBelow(describeRun(row, records), runs) }
}

export type StepItem = Answer<typeof stepItem>

/** A step for the API; `items` are those of a forEach. Its fields are named here: what is added elsewhere is not promised. */
export function toStepItem(
  step: StepDescription,
  {
    records,
    items = [],
    caller,
  }: {
    readonly records: readonly StoredRecord[]
    readonly items?: readonly StepDescription[] | undefined
    /** Who asks. */
    readonly caller?: Pick<Caller, 'by' | 'role'> | undefined
  },
): StepItem {
  const { status, startedAt, jobs, effects, decisions, attempts, items: total, guard, approval, error, blocked } = step
  const { label, finishedAt, durationMs, waitsFor, outputs, keptFrom, partnerWaits } = step
  const request = waitsFor === 'decision' ? unansweredRequest(records, step) : undefined
  const having = (...statuses: StepDescription['status'][]) =>
    items.filter((one) => statuses.includes(one.status)).length
  return {
    ...{ ref: stepKey(step), ...stepRef(step), status, startedAt, jobs, effects, decisions },
    attempts: attempts.map(({ error: why, ...attempt }) => ({ ...attempt, error: why && { ...why } })),
    ...{ label, finishedAt, durationMs, waitsFor, outputs, keptFrom },
    blocked: blocked && { thing: blocked.thing, ...blocked.by },
    partnerWaits: partnerWaits && { ...partnerWaits },
    guard,
    request,
    approval: approval && { ...approval },
    mayNotDecide: caller && waitsFor && whyNot(step, caller),
    error: error && { ...error },
    items:
      total === undefined
        ? undefined
        : {
            total,
            succeeded: having('succeeded', 'skipped'),
            failed: having('failed', 'cancelled'),
            waiting: having('waiting'),
            running: having('running'),
          },
  }
}

/** Why a caller may not decide about a step, as the decision would be refused; a reason that is missing can still be given. */
function whyNot(step: StepDescription, { by, role }: Pick<Caller, 'by' | 'role'>): StepItem['mayNotDecide'] {
  if (!mayDo(role, 'approver')) return 'not-an-approver'
  const refused = refusedDecision(stepKey(step), step.approval ?? {}, { by, comment: 'given' })
  return refused && (refused.code === 'own-run' ? 'own-run' : 'not-among-approvers')
}

/** A step that waits for another step, for the API. */
export function toBlockedStep({ runId, step: ref, message, commands }: StepBlocked) {
  return { runId, ref, message, commands: [...commands] }
}
