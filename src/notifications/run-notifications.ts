import type { ErrorReport } from '../core/errors.ts'
import { count } from '../core/format/figures.ts'
import { partnerText } from '../core/format/partner-text.ts'
import { utcTime } from '../core/format/time-text.ts'
import type { Json } from '../core/json.ts'
import type { Notification } from '../core/notification.ts'
import { type StepRef, type StoredRecord, stepKey } from '../core/run.ts'
import { shellWord } from '../core/shell-word.ts'
import { approvalCommands, approvalFacts } from '../runs/approval-terms.ts'
import { breachesIn } from '../runs/guards/guard-report.ts'
import { entryOf, itemRef } from '../runs/item.ts'
import { itemLabel } from '../runs/item-label.ts'
import { commandFor, type UnattendedRun, WHY } from '../runs/unattended-runs.ts'
import type { EndedRun, OutboxEvent } from '../state/outbox.ts'
import type { PartnerWait } from '../state/run-history.ts'

type Waiting = Extract<OutboxEvent, { kind: 'waiting' }>

/** A run has failed. */
export function runFailed(run: EndedRun, error: ErrorReport | undefined): Notification {
  const { runId, pipeline, occurrence } = run
  return {
    key: `failure/${runId}`,
    event: 'failure',
    ...placeOf(run),
    step: error?.step,
    title: error?.step === undefined ? `${pipeline} failed` : `${pipeline} failed at step "${error.step}"`,
    error,
    // The file of a failed run is moved, so a retry would not find it.
    next: [
      `audience runs show ${runId}`,
      occurrence?.detail?.file === undefined ? `audience runs retry ${runId}` : `audience files drop-again ${runId}`,
    ],
  }
}

/** A run has succeeded, although steps or items of it failed (`continueOnError`). */
export function runPartlyFailed(run: EndedRun, records: readonly StoredRecord[]): Notification {
  const { runId, pipeline, failures = 0, failuresOf = failures } = run
  const failed = failedExecutions(records)
  const [first] = failed
  const more = failed.length > MOST_NAMED ? ` and ${failed.length - MOST_NAMED} more` : ''
  const names = failed.slice(0, MOST_NAMED).map(({ name }) => name)
  return {
    key: `partial/${runId}`,
    event: 'partial',
    ...placeOf(run),
    title: `${pipeline} succeeded, but ${failures} of ${failuresOf} failed: ${names.join(', ')}${more}`,
    step: first?.error && first.step,
    error: first?.error,
    next: [`audience runs show ${runId}`, `audience runs retry ${runId}`],
  }
}

/** A run continued although guards warned (`onBreach: warn`); undefined if no guard did. */
export function guardsWarned(
  { runId, pipeline, finishedAt }: EndedRun,
  records: readonly StoredRecord[],
): Notification | undefined {
  const warned = breachesIn(records).filter(({ verdict }) => verdict === 'warned')
  const [first] = warned
  if (!first) return undefined
  const more = warned.length > MOST_NAMED ? `; and ${warned.length - MOST_NAMED} more` : ''
  const told = warned.slice(0, MOST_NAMED).map(({ name, text }) => `${name}: ${text}`)
  return {
    key: `warning/${runId}`,
    event: 'warning',
    at: finishedAt,
    pipeline,
    runId,
    step: first.name,
    title: `${pipeline} went on although ${warned.length === 1 ? 'a guard' : count(warned.length, 'guard')} warned`,
    error: { code: 'guard-warned', message: `${told.join('; ')}${more}` },
    next: [`audience runs show ${runId}`],
  }
}

/** How many failed items a message names. */
const MOST_NAMED = 5

/** The executions that failed. Each failed item of a forEach is included once, by its name. */
function failedExecutions(records: readonly StoredRecord[]) {
  const items = new Map<string, readonly Json[]>()
  const failed = new Map<string, { readonly step: string; readonly name: string; readonly error?: ErrorReport }>()
  for (const { record } of records) {
    if (record.type === 'step.expanded') items.set(record.step, record.items)
    if (record.type !== 'step.finished' || record.status !== 'failed') continue
    const { index, key, error } = record
    const all = items.get(entryOf(record))
    // A forEach is left out if its items are named.
    if (index === undefined && all && all.length > 0) continue
    const item = stepKey(itemRef(record))
    // The failed step of an item says more than the item itself.
    if (failed.has(item)) continue
    const name = index === undefined ? item : (key ?? itemLabel(all?.[index]) ?? item)
    failed.set(item, { step: stepKey(record), name, error })
  }
  return [...failed.values()]
}

/** A run succeeded after people were notified of the pipeline's failure. */
export function worksAgain(run: EndedRun, failedAt: number): Notification {
  return {
    key: `recovery/${run.runId}`,
    event: 'recovery',
    ends: 'failure',
    ...placeOf(run),
    title: `${run.pipeline} works again, after it had failed at ${utcTime(failedAt)}`,
    next: [],
  }
}

/** When and where a run ended. */
function placeOf({ runId, pipeline, finishedAt, occurrence }: EndedRun) {
  return { at: finishedAt, pipeline, trigger: occurrence?.trigger, runId }
}

/** A notification for every step of a run that is waiting for a person. */
export function stepsWait(
  { runId, pipeline, occurrence }: Pick<Waiting, 'runId' | 'pipeline' | 'occurrence'>,
  open: OpenQuestions,
): Notification[] {
  return [...open.values()].map(({ at, seq, record }) => {
    const step = stepKey(record)
    const { hint: _command, ...question } = record.error
    const base = {
      key: `${record.reason}/${runId}/${step}/${seq}`,
      event: record.reason,
      at,
      pipeline,
      trigger: occurrence?.trigger,
      runId,
      step,
      page: pageOfStep(runId, record),
    }
    if (record.reason === 'approval') {
      const { approvers, notBy, waitsUntil } = approvalFacts(record, at)
      const by = approvers ? `, by ${approvers.join(' or ')}` : ''
      const except = notBy ? `, not by ${notBy.join(' or ')}` : ''
      const until = waitsUntil === undefined ? '' : `, until ${utcTime(Date.parse(waitsUntil))}`
      const title = `${pipeline} waits for an approval at step "${step}"${by}${except}${until}`
      // The question has no hint here, because its hint is the command below.
      return { ...base, title, error: question, next: approvalCommands(runId, step, record) }
    }
    const resume = `audience runs resume ${runId} --step ${shellWord(step)}`
    return {
      ...base,
      title: `${pipeline} needs a decision: it is not known whether step "${step}" was done`,
      error: record.error,
      next: [`audience runs show ${runId}`, `${resume} --done`, `${resume} --again`],
    }
  })
}

/** The page of a run with one of its steps selected; the console reads the query in `choice.ts`. */
function pageOfStep(runId: string, { step, index, block }: StepRef): string {
  const query = new URLSearchParams({ step: block ?? step })
  if (index !== undefined) query.set('index', String(index))
  if (block !== undefined) query.set('inner', step)
  return `runs/${runId}?${query}`
}

/** A step of a run has waited for a partner for a long time. */
export function partnerWaits(
  { runId, pipeline, step, counterpart, since }: PartnerWait,
  trigger: string | undefined,
): Notification {
  return {
    key: `partnerWaits/${runId}/${step}/${since}`,
    event: 'partnerWaits',
    at: since,
    pipeline,
    trigger,
    runId,
    step,
    title: `${pipeline} ${partnerText({ counterpart })} at step "${step}", since ${utcTime(since)}`,
    next: [`audience runs show ${runId}`],
  }
}

/** No process is working on a run. The key contains only the id of the run, so people are notified once. */
export function runUnattended(run: UnattendedRun): Notification {
  const { runId, pipeline, why, since } = run
  return {
    key: `stuck/${runId}`,
    event: 'stuck',
    at: since,
    pipeline,
    runId,
    title: `no process is working on a run of ${pipeline}`,
    error: { code: why, message: WHY[why] },
    next: ['audience status', commandFor(run)],
  }
}

type StepWaits = Extract<StoredRecord['record'], { type: 'step.waiting' }>

/** The steps that began to wait and have had no decision since, by their names. */
export type OpenQuestions = Map<string, Omit<StoredRecord, 'record'> & { readonly record: StepWaits }>

/** Adds the questions in further records of a run, and removes those that the records answer. */
export function noteQuestions(open: OpenQuestions, records: readonly StoredRecord[]): OpenQuestions {
  for (const { seq, at, record } of records) {
    if (record.type === 'run.finished') open.clear()
    else if (record.type === 'step.waiting') open.set(stepKey(record), { seq, at, record })
    else if (record.type === 'decision.made' || record.type === 'step.finished') open.delete(stepKey(record))
  }
  return open
}
