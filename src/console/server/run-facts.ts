import { planOf } from '../../adapter/request-plan.ts'
import { isOperationId } from '../../contract/operations.ts'
import { INTENT } from '../../core/engine.ts'
import { isoTime } from '../../core/iso-time.ts'
import { isJsonObject } from '../../core/json.ts'
import type { ValueOf } from '../../core/json-schema.ts'
import { mayDo } from '../../core/role.ts'
import { type StepRef, type StoredRecord, stepKey, stepRef } from '../../core/run.ts'
import { maskInIds } from '../../policy/personal-data.ts'
import { refusedDecision } from '../../runs/approval-terms.ts'
import { describeRun, type RunDescription, type StepDescription } from '../../runs/describe-run.ts'
import { findRun, unknownRun } from '../../runs/recorded-run.ts'
import { withWaitsBelow } from '../../runs/runs-below.ts'
import type { RunHistory, RunRow } from '../../state/run-history.ts'
import type { StepBlocked } from '../../status/status-report.ts'
import type { stepItem, stepRequest } from '../api/run-schemas.ts'
import type { Caller } from './caller.ts'

/** A run with its records and the facts in them. */
export interface RunWithRecords {
  readonly row: RunRow
  readonly records: readonly StoredRecord[]
  readonly submission: Extract<StoredRecord['record'], { type: 'run.submitted' }>
  readonly run: RunDescription
}

/** Reads a run and its records. Throws `unknown-run`. */
export async function readRun(
  runs: Pick<RunHistory, 'find' | 'records' | 'page'>,
  runId: string,
): Promise<RunWithRecords> {
  const row = await findRun(runs, runId)
  const records = await runs.records(runId)
  const submission = records[0]?.record
  // If there are no records, the run was removed between the two reads.
  if (submission?.type !== 'run.submitted') throw unknownRun(runId)
  return { row, records, submission, run: await withWaitsBelow(describeRun(row, records), runs) }
}

type StepItem = ValueOf<typeof stepItem>

/**
 * A step as the API shows it. `items` are the items of a forEach. All fields are listed here, so a field that is added
 * elsewhere does not become part of the API.
 */
export function toStepItem(
  step: StepDescription,
  {
    records,
    items = [],
    caller,
  }: {
    records: readonly StoredRecord[]
    items?: readonly StepDescription[] | undefined
    /** The caller who asks. */
    caller?: Pick<Caller, 'by' | 'role'> | undefined
  },
): StepItem {
  const { status, startedAt, jobs, effects, decisions, attempts, items: total, guard, approval, error, blocked } = step
  const { label, finishedAt, durationMs, waitsFor, outputs, keptFrom, partnerWaits } = step
  const request = waitsFor === 'decision' ? unansweredRequest(records, step) : undefined
  const having = (...statuses: StepDescription['status'][]) =>
    items.filter((one) => statuses.includes(one.status)).length
  return {
    ref: stepKey(step),
    ...stepRef(step),
    status,
    startedAt,
    jobs,
    effects,
    decisions,
    attempts: attempts.map(({ error: why, ...attempt }) => ({ ...attempt, error: why && { ...why } })),
    label,
    finishedAt,
    durationMs,
    waitsFor,
    outputs,
    keptFrom,
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

/**
 * Why a caller may not decide about a step, by the same rules as the decision itself. A missing reason does not count,
 * because the caller can still give it.
 */
function whyNot(step: StepDescription, { by, role }: Pick<Caller, 'by' | 'role'>): StepItem['mayNotDecide'] {
  if (!mayDo(role, 'approver')) return 'not-an-approver'
  const refused = refusedDecision(stepKey(step), step.approval ?? {}, { by, comment: 'given' })
  return refused && (refused.code === 'own-run' ? 'own-run' : 'not-among-approvers')
}

/** A step that is waiting for another step, as the API shows it. */
export function toBlockedStep({ runId, step: ref, message, commands }: StepBlocked) {
  return { runId, ref, message, commands: [...commands] }
}

type Request = ValueOf<typeof stepRequest>

/** The beginning of the body is enough for a decision. The rest would only fill the dialog. */
const MOST_CHARACTERS = 8000

/**
 * The request that a step announced last, as it was sent to the service. A person who decides whether it arrived needs
 * it. Personal data is masked. Ids stay, because the person looks for them at the service.
 */
export function unansweredRequest(records: readonly StoredRecord[], step: StepRef): Request | undefined {
  const key = stepKey(step)
  const announced = records.findLast(
    ({ record }) => record.type === 'effect.done' && record.name.endsWith(INTENT) && stepKey(record) === key,
  )
  if (announced?.record.type !== 'effect.done') return undefined
  const { value } = announced.record
  if (!isJsonObject(value) || !isJsonObject(value.input)) return undefined
  const { operation: id, input } = value
  if (typeof id !== 'string' || !isOperationId(id)) return undefined
  const { operation, path, query, body } = planOf(id)
  const text = body(input)
  return {
    operation: id,
    at: isoTime(announced.at),
    method: operation.method,
    path: maskInIds(path(input) + query(input)),
    body: text === undefined ? undefined : maskInIds(text).slice(0, MOST_CHARACTERS),
  }
}
