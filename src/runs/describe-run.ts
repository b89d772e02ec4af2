import type { ApprovalFacts } from '../core/approval.ts'
import { elapsedMs } from '../core/duration.ts'
import { CHILD_RUN } from '../core/engine.ts'
import type { ErrorReport } from '../core/errors.ts'
import type { LearnedGuard } from '../core/guard.ts'
import { isoTime } from '../core/iso-time.ts'
import type { Json, JsonObject } from '../core/json.ts'
import {
  asksPartner,
  type Blocked,
  type GitVersion,
  type HumanDecision,
  type PartnerWaits,
  type SettledStatus,
  type Signed,
  type StepRef,
  type StoredRecord,
  signatureOf,
  stepKey,
  stepRef,
  type ToleratedFailures,
  type WaitReason,
} from '../core/run.ts'
import type { RunRow, SentDecision } from '../state/run-history.ts'
import { approvalFacts } from './approval-terms.ts'
import { afterDecision } from './guards/after-decision.ts'
import { type GuardDescription, guardDescription } from './guards/describe-guard.ts'
import { entryOf, itemRef } from './item.ts'
import { itemLabel } from './item-label.ts'
import { endsBlock, endsPartnerWait, withItemsWaits } from './step-waits.ts'

/** A run for people and programs: the row, what started it, and its step executions in order. Times are RFC 3339. */
export interface RunDescription extends ToleratedFailures, Pick<RunRow, Shown> {
  readonly file: string
  readonly digest: string
  /** The commit of the document. */
  readonly git?: GitVersion
  readonly submittedAt: string
  /** When it left the queue. */
  readonly beganAt?: string
  readonly finishedAt?: string
  readonly inputs: JsonObject
  readonly trigger: JsonObject
  /** Its steps that are waiting for a partner at the service. */
  readonly partnerWaits?: PartnerWaits<string> | undefined
  /** The values of the document's variables, once they are computed. */
  readonly variables?: JsonObject
  /** The run that `last` referred to. */
  readonly lastRun?: string
  readonly steps: readonly StepDescription[]
  readonly outputs?: JsonObject
  readonly error?: ErrorReport
  /** Who has acknowledged failures of this kind. */
  readonly acknowledged?: (Signed & { readonly at: string }) | undefined
  /** Who cancelled the run, and when. */
  readonly cancelled?: Signed & { readonly at: string }
}

/** What a description takes from the row as it is. */
type Shown =
  | 'runId'
  | 'pipeline'
  | 'profile'
  | 'service'
  | 'status'
  | 'owner'
  | 'queuedFor'
  | 'startedBy'
  | 'seededFrom'

export interface StepDescription extends StepRef {
  readonly step: string
  /** In a forEach: the execution as people write it, such as `audience[seg07].upload`. */
  readonly execution?: string
  /** In a forEach without keys: the name of the item for people, if one can be found. */
  readonly label?: string
  /** For a forEach: how many items it has. */
  items?: number
  status: SettledStatus | 'running' | 'waiting'
  startedAt: string
  finishedAt?: string
  durationMs?: number
  readonly attempts: { readonly attempt: number; readonly startedAt: string; error?: ErrorReport; retryAt?: string }[]
  /** The statuses of the service's jobs while the step was waiting. */
  readonly jobs: { readonly jobId: string; readonly status: string; readonly at: string }[]
  /** The recorded effects: the intent and the answer of a write, the end of a job. */
  readonly effects: { readonly name: string; readonly at: string }[]
  /** What its guard measured. */
  guard?: GuardDescription
  waitsFor?: WaitReason
  /** While it waits for a step execution that is working on the same thing. */
  blocked?: Blocked
  /** The run that its last attempt has started, if it runs another pipeline. */
  childRun?: string
  /** While its job, or one of its items, waits for an answer from another participant. */
  partnerWaits?: PartnerWaits<string> | undefined
  /** While it waits for an approval: the terms of that approval. */
  approval?: ApprovalFacts
  /** While it waits: the decision that was made and that no process has acted on yet. */
  sent?: Signed & { readonly decision: HumanDecision }
  readonly decisions: (Signed & { readonly decision: HumanDecision; readonly at: string })[]
  outputs?: Json
  error?: ErrorReport
  /** The earlier run that executed the step; this run did not execute it again. */
  keptFrom?: string
}

/** Describes a run from its row, its records, and the decisions that no process has acted on yet. */
export function describeRun(
  row: RunRow,
  records: readonly StoredRecord[],
  sent: readonly SentDecision[] = [],
): RunDescription {
  const first = records[0]?.record
  const newest = records.at(-1)?.record
  const last = records.flatMap(({ record }) => (record.type === 'last.noted' && record.last ? [record.last] : []))[0]
  const variables = records.flatMap(({ record }) => (record.type === 'variables.set' ? [record.variables] : []))[0]
  const cancel = records.find(({ record }) => record.type === 'cancel.requested')
  const submission = first?.type === 'run.submitted' ? first : undefined
  const finish = newest?.type === 'run.finished' ? newest : undefined
  return {
    runId: row.runId,
    pipeline: row.pipeline,
    file: submission?.file ?? '',
    digest: submission?.digest ?? '',
    profile: row.profile,
    service: row.service,
    git: submission?.git,
    status: row.status,
    owner: row.owner,
    queuedFor: row.queuedFor,
    submittedAt: isoTime(row.submittedAt),
    beganAt: isoTime(row.beganAt),
    finishedAt: isoTime(row.finishedAt),
    partnerWaits: row.partnerWaits && { ...row.partnerWaits, since: isoTime(row.partnerWaits.since) },
    acknowledged: row.acknowledged && { ...row.acknowledged, at: isoTime(row.acknowledged.at) },
    inputs: submission?.inputs ?? {},
    trigger: submission?.trigger ?? {},
    variables,
    seededFrom: submission?.seed?.runId,
    startedBy: submission?.startedBy,
    lastRun: last?.runId,
    steps: withSent(stepsOf(records), sent),
    outputs: finish?.outputs,
    error: finish?.error,
    failures: finish?.failures,
    failuresOf: finish?.failuresOf,
    cancelled:
      cancel?.record.type === 'cancel.requested'
        ? { at: isoTime(cancel.at), ...signatureOf(cancel.record) }
        : undefined,
  }
}

function withSent(steps: StepDescription[], sent: readonly SentDecision[]): StepDescription[] {
  const byKey = new Map(sent.map(({ ref, ...decision }) => [stepKey(ref), decision]))
  for (const step of steps) {
    const decision = step.waitsFor && byKey.get(stepKey(step))
    if (decision) step.sent = decision
  }
  return steps
}

function stepsOf(records: readonly StoredRecord[]): StepDescription[] {
  const guards = records.flatMap(({ record }) => (record.type === 'last.noted' ? (record.guards ?? []) : []))
  const steps = new Map<string, StepDescription>()
  const items = new Map<string, readonly Json[]>()
  for (const { at, record } of records) {
    if (!('step' in record)) continue
    if (record.type === 'step.expanded') items.set(record.step, record.items)
    const label = record.index === undefined ? undefined : itemLabel(items.get(entryOf(record))?.[record.index])
    // An item of a block has its own record only at its end. It begins with its first step.
    for (const ref of record.block === undefined ? [record] : [itemRef(record), record]) {
      const key = stepKey(ref)
      if (!steps.has(key)) steps.set(key, begun(ref, label, at))
    }
    const known = steps.get(stepKey(record))
    if (known) follow(known, { at, record, guards })
  }
  return withItemsWaits([...steps.values()])
}

function begun(ref: StepRef, label: string | undefined, at: number): StepDescription {
  return {
    ...stepRef(ref),
    execution: ref.index === undefined ? undefined : stepKey(ref),
    label: ref.key === undefined ? label : undefined,
    status: 'running',
    startedAt: isoTime(at),
    attempts: [],
    jobs: [],
    effects: [],
    decisions: [],
  }
}

function follow(
  step: StepDescription,
  {
    at,
    record,
    guards,
  }: {
    at: number
    record: Extract<StoredRecord['record'], StepRef>
    guards: readonly LearnedGuard[]
  },
): void {
  if (endsBlock(record)) delete step.blocked
  if (endsPartnerWait(record)) delete step.partnerWaits
  switch (record.type) {
    case 'step.blocked':
      step.blocked = { thing: record.thing, by: record.by }
      return
    case 'step.expanded':
      step.items = record.items.length
      return
    case 'step.started':
      step.status = 'running'
      step.attempts.push({ attempt: record.attempt, startedAt: isoTime(at) })
      return
    case 'effect.done':
      step.effects.push({ name: record.name, at: isoTime(at) })
      if (record.name === CHILD_RUN) step.childRun = String(record.value)
      return
    case 'job.status':
      step.jobs.push({ jobId: record.jobId, status: record.status, at: isoTime(at) })
      if (asksPartner(record))
        step.partnerWaits ??= { steps: 1, partners: 1, counterpart: record.counterpart, since: isoTime(at) }
      return
    case 'attempt.failed': {
      const attempt = step.attempts.at(-1)
      if (attempt) Object.assign(attempt, { error: record.error, retryAt: isoTime(record.retryAt) })
      return
    }
    case 'guard.measured':
      step.guard = guardDescription(record, guards)
      // The outputs of a step that is held: its work is done, and a person uses them to decide.
      if (record.outputs !== undefined) step.outputs = record.outputs
      return
    case 'step.waiting':
      step.status = 'waiting'
      step.waitsFor = record.reason
      if (record.reason === 'approval') step.approval = approvalFacts(record, at)
      step.error = record.error
      return
    case 'decision.made':
      step.status = 'running'
      endWait(step)
      if (step.guard) step.guard = afterDecision(step.guard, record.decision)
      step.decisions.push({ decision: record.decision, at: isoTime(at), ...signatureOf(record) })
      return
    case 'step.finished':
      endWait(step)
      step.status = record.status
      step.finishedAt = isoTime(at)
      step.durationMs = elapsedMs(Date.parse(step.startedAt), at)
      if (record.outputs !== undefined) step.outputs = record.outputs
      if (record.error) step.error = record.error
      if (record.keptFrom !== undefined) step.keptFrom = record.keptFrom
  }
}

/** The step no longer asks anybody. */
function endWait(step: StepDescription): void {
  if (step.waitsFor === undefined) return
  delete step.waitsFor
  delete step.approval
  delete step.error
}
