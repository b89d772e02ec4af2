import type { Clock } from '../../core/clock.ts'
import { isoTime } from '../../core/iso-time.ts'
import { invalidField, notFound, Refusal } from '../api-error.ts'
import type { JobRunner } from '../jobs/job.ts'
import type { JobAct, JobControl } from '../jobs/job-control.ts'
import type { MatchEngine } from '../matching/match-engine.ts'
import { type Network, participantPath } from '../network/network.ts'
import type { BlobFolders } from '../storage/blob-folders.ts'
import type { Snapshots } from '../storage/snapshots.ts'
import type { Store } from '../storage/store.ts'
import type { Tokens } from '../tokens.ts'
import type { ControlAnswer, ControlInput, ControlOperationId } from './control-operations.ts'
import { FAULT_ACTIONS, FaultSpec } from './fault-rule.ts'
import { canApply, type FaultRule, type FaultRules } from './fault-rules.ts'
import type { Lag } from './lag.ts'
import type { RequestJournal } from './request-journal.ts'
import { RUNNING_WITH_THE_MACHINE, type ServiceClock } from './service-clock.ts'

/** The context of the control API. */
export interface ControlContext {
  readonly network: Network
  readonly tokens: Tokens
  readonly store: Store
  readonly blobs: BlobFolders
  readonly snapshots: Snapshots
  readonly clock: ServiceClock
  /** The machine's time. */
  readonly wall: Clock
  readonly jobs: JobControl
  readonly runner: Pick<JobRunner, 'settle' | 'whileIdle'>
  readonly engine: Pick<MatchEngine, 'exportSet'>
  readonly journal: RequestJournal
  readonly faults: FaultRules
  readonly lag: Lag
  /** Whether jobs are being processed. Until then, the population is still being made. */
  isReady(): boolean
  /** The address of the service, such as `http://127.0.0.1:4010`. */
  origin(): string
  /** The path of a temporary file with this name, for an answer that is written to disk first. */
  scratchPath(name: string): string
}

/** Implements an operation. Its input fits the schema. Throws Refusal for errors that the caller may read. */
type ControlHandler<Id extends ControlOperationId> = (
  control: ControlContext,
  input: ControlInput<Id>,
) => ControlAnswer<Id> | Promise<ControlAnswer<Id>>

export const controlHandlers: { readonly [Id in ControlOperationId]: ControlHandler<Id> } = {
  health: () => ({ status: 'ok' }),
  ready(control) {
    if (!control.isReady()) throw new Refusal('not-ready', 'the service is starting')
    return { status: 'ready' }
  },

  async reset(control) {
    const { runner, store, blobs } = control
    await runner.whileIdle(() => {
      const before = blobs.inUse()
      store.clear()
      forgetTheRest(control)
      blobs.release(before)
    })
    return { done: 'reset' }
  },
  'snapshots.list': ({ snapshots }) => ({
    snapshots: snapshots.list().map(({ name, takenAt }) => ({ name, takenAt: isoTime(takenAt) })),
  }),
  'snapshots.take'({ snapshots }, { name }) {
    if (snapshots.has(name)) throw new Refusal('conflict', `the snapshot ${name} already exists; delete it first`)
    snapshots.take(name)
    return { done: 'snapshot', name }
  },
  async 'snapshots.restore'(control, { name }) {
    const { snapshots, runner } = control
    await runner.whileIdle(() => {
      if (!snapshots.has(name)) throw notFound('snapshot', name)
      snapshots.restore(name)
      forgetTheRest(control)
    })
    return { done: 'restore', name }
  },
  'snapshots.delete'({ snapshots }, { name }) {
    if (!snapshots.has(name)) throw notFound('snapshot', name)
    snapshots.delete(name)
    return { done: 'delete', name }
  },

  'clock.get': ({ clock }) => clockView(clock),
  'clock.freeze'({ clock }) {
    clock.freeze()
    return clockView(clock)
  },
  async 'clock.advance'({ clock, runner, store }, { ms }) {
    const target = clock.now() + ms
    await runner.settle(clock.now())
    for (;;) {
      const due = store.jobs.nextDueAfter(clock.now())
      if (due === undefined || due > target) break
      clock.moveTo(due)
      await runner.settle(due)
    }
    clock.moveTo(target)
    return clockView(clock)
  },
  'clock.thaw'({ clock }) {
    clock.thaw()
    return clockView(clock)
  },

  'jobs.list': ({ store }, { limit = 100, ...filter }) => ({
    jobs: store.jobs.report(filter, limit).map(({ dueAt, createdAt, changedAt, ...job }) => ({
      ...job,
      dueAt: dueAt === null ? null : isoTime(dueAt),
      createdAt: isoTime(createdAt),
      changedAt: isoTime(changedAt),
    })),
  }),
  'jobs.hold': jobAct('hold'),
  'jobs.release': jobAct('release'),
  'jobs.step': jobAct('step'),
  'jobs.approve': jobAct('approve'),
  'jobs.reject': jobAct('reject'),
  'jobs.cancel': jobAct('cancel'),
  'jobs.fail': jobAct('fail'),

  'participants.list': ({ network, tokens, origin }) => ({
    participants: network.participants.map(({ customDeliveryScopesDetail = [], ...one }) => ({
      ...one,
      customDeliveryScopesDetail,
      baseUrl: origin() + participantPath(one.id),
      token: tokens.of(one.id),
    })),
  }),
  'groups.list': ({ network: { groups } }) => ({ groups }),

  'requests.list': ({ journal }, { limit = 100, ...filter }) => ({
    requests: journal.list(filter, limit).map((entry) => ({ ...entry, at: isoTime(entry.at) })),
  }),
  'requests.clear'({ journal }) {
    journal.clear()
    return { done: 'clear' }
  },

  'segments.list': ({ store }, { limit = 100 }) => ({ segments: store.segments.report(limit) }),
  'matches.list': ({ store }, { limit = 100 }) => ({
    matches: store.matches.report(limit).map((match) => ({ ...match, segmentName: match.segment.segmentName })),
  }),
  async 'matches.export'({ store, blobs, engine, scratchPath }, { matchId, part }) {
    const match = store.matches.find(matchId)
    if (!match) throw notFound('match', matchId)
    const file = part === undefined ? match.setFile : match.splitFile
    if (file === null) {
      const missing = part === undefined ? 'result' : 'test and control'
      throw new Refusal('conflict', `match ${matchId} has no ${missing} yet`)
    }
    const csvFile = scratchPath(`match-${matchId}.csv`)
    await engine.exportSet({ file: blobs.setPath(file), target: csvFile, part })
    return { csvFile }
  },
  'activations.list': ({ store }, { limit = 100 }) => ({ activations: store.activations.report(limit) }),

  'faults.add'({ faults }, spec) {
    if (!canApply(spec.action, spec.operation)) {
      const wanted = spec.action === 'lag' ? 'an operation that makes something' : 'a list'
      throw invalidField('operation', `${spec.action} needs ${wanted}, not ${spec.operation}`)
    }
    return ruleView(faults.add(spec))
  },
  'faults.list': ({ faults }) => ({
    faults: faults.list().map(ruleView),
    operations: FaultSpec.properties.operation.enum.map((operation) => ({
      operation,
      actions: FAULT_ACTIONS.filter((action) => canApply(action, operation)),
    })),
  }),
  'faults.delete'({ faults }, { id }) {
    if (!faults.delete(id)) throw notFound('fault rule', id)
    return { done: 'delete', id }
  },
  'faults.clear'({ faults, lag }) {
    faults.clear()
    lag.clear()
    return { done: 'clear' }
  },
}

/** Resets the state outside the store, including cached reads of the store. */
function forgetTheRest({ store, clock, faults, lag, journal }: ControlContext): void {
  clock.set(store.clock.read() ?? RUNNING_WITH_THE_MACHINE)
  faults.clear()
  lag.clear()
  journal.clear()
}

function clockView(clock: ServiceClock) {
  return { now: isoTime(clock.now()), frozen: clock.state().frozenAt !== null, offsetMs: clock.aheadMs() }
}

function jobAct(act: JobAct): ControlHandler<'jobs.fail'> {
  return async ({ jobs, store }, input) => {
    await jobs[act](input)
    const { id } = input
    const job = store.jobs.findSummary(id)
    if (!job) throw notFound('job', id)
    return { id, done: act, status: job.status }
  }
}

function ruleView({ id, spec, seen, applied }: FaultRule) {
  return { id, ...spec, seen, applied }
}
