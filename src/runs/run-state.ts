import type { ApprovalTerms } from '../core/approval.ts'
import type { LearnedGuard } from '../core/guard.ts'
import { isSameJson, type Json, type JsonObject } from '../core/json.ts'
import {
  asksPartner,
  type Blocked,
  type FinalStatus,
  type HumanDecision,
  type KeptExecution,
  type LastRun,
  type Measured,
  type RunRecord,
  type Signed,
  type StepEnd,
  type StepRef,
  type StoredRecord,
  signatureOf,
  stepKey,
  type WaitReason,
} from '../core/run.ts'
import { recordsDamaged } from '../state/state-damage.ts'
import { approvalTerms } from './approval-terms.ts'
import { afterDecision } from './guards/after-decision.ts'
import { entryOf, itemRef } from './item.ts'
import { type ItemProgress, newProgress, noteBegun, noteEnded } from './item-progress.ts'
import { answeredBy, unblockedBy } from './step-waits.ts'

/** Everything that is known about a run: the fold of its records. */
export interface RunState {
  readonly submission: Extract<RunRecord, { type: 'run.submitted' }>
  readonly submittedAt: number
  /** When it began to run: a run may first be queued. */
  startedAt: number
  /** The value of `last`; undefined until it has been read. */
  last?: LastRun | 'none'
  /** What its guards have learned; read together with `last`. */
  guards?: readonly LearnedGuard[]
  /** The values of the document's variables; undefined until they have been computed. */
  variables?: JsonObject
  /** For a rerun: what need not be repeated, by `stepKey`. */
  readonly kept: ReadonlyMap<string, KeptExecution>
  /** By `stepKey`. A step that is missing here has not started. */
  readonly steps: Map<string, StepState>
  /** How many steps are waiting for a person. */
  waiting: number
  cancelRequested?: true
  finished?: { readonly status: FinalStatus; readonly at: number }
}

/** What is known about one step execution, or about a forEach as a whole. */
export interface StepState {
  startedAt: number
  attempt: number
  /** When this attempt began; the timeout of the step counts from here. */
  attemptAt?: number
  /** For a forEach: its items, their keys if it gives keys, and how far they have got. */
  items?: readonly Json[]
  keys?: readonly string[]
  progress?: ItemProgress
  /** After a failed attempt: when the next one starts. */
  retryAt?: number
  keepsEffects?: true
  /** Set while the step can continue only after a person decides. */
  waiting?: WaitReason
  /** The terms of that decision, and when the step began to wait for it. */
  approval?: ApprovalTerms & { readonly since: number }
  /** Set while it waits for a step execution that is working on the same thing. */
  blocked?: Blocked
  /** The last record of its job. */
  job?: { readonly jobId: string; readonly status: string }
  /** Set while its job waits for an answer from another participant. */
  asksPartner?: true
  /** The decision that a person has made since. */
  decision?: HumanDecision
  /** Who made it, and why. */
  signed?: Signed
  /** What its guard measured; with the outputs if the step is held. */
  guard?: Measured & { readonly outputs?: Json }
  /** A person asked for this attempt: their `again` applies to the whole attempt. */
  isAgain?: true
  /** Values of `once` in this attempt, by name. */
  effects: Map<string, Json>
  settled?: StepEnd & { readonly at: number }
}

/** The state after all records of a run. The first record is its submission. */
export function foldRecords(records: readonly StoredRecord[]): RunState {
  const [first, ...rest] = records
  if (first?.record.type !== 'run.submitted')
    throw recordsDamaged('the records of the run do not begin with its submission')
  const submission = first.record
  const state: RunState = {
    submission,
    submittedAt: first.at,
    startedAt: first.at,
    kept: new Map(submission.seed?.kept.map((execution) => [stepKey(execution), execution])),
    steps: new Map(),
    waiting: 0,
  }
  for (const stored of rest) applyRecord(state, stored)
  return state
}

/** Applies one record to the state. */
export function applyRecord(state: RunState, { at, record }: StoredRecord): void {
  const unblocked = unblockedBy(state.steps, record)
  if (unblocked !== undefined) delete state.steps.get(unblocked)?.blocked
  const answered = answeredBy(state.steps, record)
  if (answered !== undefined) delete state.steps.get(answered)?.asksPartner
  switch (record.type) {
    case 'run.submitted':
      return
    case 'job.status':
      stepOf(state, record, at).job = { jobId: record.jobId, status: record.status }
      if (asksPartner(record)) stepOf(state, record, at).asksPartner = true
      return
    case 'run.admitted':
      state.startedAt = at
      return
    case 'last.noted':
      state.last = record.last ?? 'none'
      if (record.guards) state.guards = record.guards
      return
    case 'variables.set':
      state.variables = record.variables
      return
    case 'run.finished':
      state.finished = { status: record.status, at }
      return
    case 'step.expanded':
      Object.assign(stepOf(state, record, at), {
        items: record.items,
        keys: record.keys,
        progress: newProgress(record, record, state.kept),
      })
      return
    case 'step.started': {
      const step = stepOf(state, record, at)
      step.attempt = record.attempt
      step.attemptAt = at
      if (!step.keepsEffects) step.effects = record.attempt === 1 ? keptEffects(state, record) : new Map()
      delete step.keepsEffects
      delete step.guard
      delete step.retryAt
      delete step.isAgain
      if (step.decision === 'again') step.isAgain = true
      delete step.decision
      delete step.signed
      return
    }
    case 'step.blocked':
      stepOf(state, record, at).blocked = { thing: record.thing, by: record.by }
      return
    case 'step.unblocked':
      return
    case 'guard.measured': {
      const { type: _, step: _step, index: _index, key: _key, block: _block, ...measured } = record
      stepOf(state, record, at).guard = measured
      return
    }
    case 'step.waiting': {
      const step = stepOf(state, record, at)
      if (step.waiting === undefined) state.waiting += 1
      step.waiting = record.reason
      step.approval = { ...approvalTerms(record), since: at }
      return
    }
    case 'decision.made': {
      const step = stepOf(state, record, at)
      step.decision = record.decision
      step.signed = signatureOf(record)
      if (step.guard) step.guard = afterDecision(step.guard, record.decision)
      endWait(state, step)
      return
    }
    case 'cancel.requested':
      state.cancelRequested = true
      return
    case 'effect.done':
      stepOf(state, record, at).effects.set(record.name, record.value)
      return
    case 'attempt.failed': {
      const step = stepOf(state, record, at)
      step.retryAt = record.retryAt
      if (record.keepsEffects) step.keepsEffects = true
      return
    }
    case 'step.finished': {
      const step = stepOf(state, record, at)
      endWait(state, step)
      const { status, outputs, error, keptFrom } = record
      step.settled = { status, at, outputs, error, keptFrom }
      noteItemEnded(state, record)
    }
  }
}

function endWait(state: RunState, step: StepState): void {
  if (step.waiting === undefined) return
  state.waiting -= 1
  delete step.waiting
  delete step.approval
}

/** The unfinished work of an earlier run for this execution. */
function keptEffects({ kept, steps }: RunState, ref: StepRef): Map<string, Json> {
  const execution = kept.get(stepKey(ref))
  if (!execution || !('effects' in execution)) return new Map()
  const item = ref.index === undefined ? undefined : steps.get(entryOf(ref))?.items?.[ref.index]
  return isSameJson(execution.item, item) ? new Map(Object.entries(execution.effects) as [string, Json][]) : new Map()
}

/** The state of an execution. It and the item that it belongs to begin with its first record. */
function stepOf(state: RunState, ref: StepRef, at: number): StepState {
  const key = stepKey(ref)
  const known = state.steps.get(key)
  if (known) return known
  const step: StepState = { startedAt: at, attempt: 0, effects: new Map() }
  state.steps.set(key, step)
  if (ref.block !== undefined) stepOf(state, itemRef(ref), at)
  else if (ref.index !== undefined) noteItemBegun(state, ref.step, ref.index)
  return step
}

function noteItemBegun({ steps }: RunState, forEach: string, index: number): void {
  const { progress } = steps.get(forEach) ?? {}
  if (progress) noteBegun(progress, index)
}

function noteItemEnded({ steps }: RunState, { step, index, block, status }: Finished): void {
  const { progress } = steps.get(step) ?? {}
  if (progress && index !== undefined && block === undefined) noteEnded(progress, index, status)
}

type Finished = Extract<RunRecord, { type: 'step.finished' }>
