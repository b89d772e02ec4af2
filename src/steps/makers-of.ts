import type { Job } from '../contract/job.ts'
import type { MadeKind, MadeThing } from '../state/made-things.ts'
import { VISIBLE_WITHIN_MS } from './read-after-job.ts'
import { hasEnded, readJob } from './read-job.ts'
import type { ReconcileDeps } from './writes/reconciler.ts'

/** A listed thing, and the job that it shows. */
export interface Listed {
  readonly id: string
  readonly job?: string | undefined
}

/** What this state knows about listed things. */
export interface Makers {
  of(id: string): MadeThing | undefined
  /** Things whose job has not ended. Any listed thing with an unknown maker may be one of them. */
  readonly underWay: readonly MadeThing[]
  /**
   * Things whose job ended without naming what it made, and things whose request got no answer. Any listed thing with
   * an unknown maker may be one of them, too.
   */
  readonly unnamed: readonly MadeThing[]
}

/** A job may name what it made only when it is read again (decision 139). */
const MOST_READS = 3

/**
 * Finds out which runs made the things with a given name. If a listed thing is not known by its id, reads the jobs of
 * entries for which only the job is known, because a run may have ended before its job did. The entry with this
 * `request` is the caller's own.
 */
export async function makersOf(
  listed: readonly Listed[],
  { kind, name, request }: { kind: MadeKind; name: string; request?: string | undefined },
  deps: ReconcileDeps,
): Promise<Makers> {
  const known = new Map<string, MadeThing>()
  for (const { id } of listed) {
    const maker = await deps.made.byId(kind, id)
    if (maker) known.set(id, maker)
  }
  const unknown = () => listed.filter(({ id }) => !known.has(id))
  const underWay: MadeThing[] = []
  const unnamed: MadeThing[] = []
  const isOpen = (thing: MadeThing) => thing.id === undefined && (thing.job !== undefined || thing.request !== request)
  const started = unknown().length === 0 ? [] : (await deps.made.named(kind, name)).filter(isOpen)
  for (const thing of started) {
    if (unknown().length === 0) break
    const seen = unknown().find(({ job }) => job !== undefined && job === thing.job)
    const state = seen ? { state: 'made' as const, id: seen.id } : await stateOfThing(thing, deps)
    if (state.state === 'made') known.set(state.id, thing)
    else if (state.state === 'underWay') underWay.push(thing)
    else if (state.state === 'unnamed') unnamed.push(thing)
  }
  return { of: (id) => known.get(id), underWay, unnamed }
}

type StateOfJob =
  | { readonly state: 'made'; readonly id: string }
  | { readonly state: 'underWay' | 'unnamed' }
  /** The job failed, or the service no longer knows it. */
  | { readonly state: 'nothing' }

/** Why a thing with an unknown maker may belong to this entry, to show to people. */
export function whyUnnamed({ runId, step, job }: MadeThing): string {
  return job === undefined
    ? `step "${step}" of run ${runId} asked for one, and nobody knows whether it was made`
    : `run ${runId} started job ${job}, which does not say what it made`
}

/** What happened to a thing if only its job or its request is known. */
export async function stateOfThing(thing: MadeThing, deps: ReconcileDeps): Promise<StateOfJob> {
  const { kind, job: jobId } = thing
  if (jobId === undefined) return { state: 'unnamed' }
  for (let reads = 1; ; reads += 1) {
    const job = await readJob(jobId, deps)
    // A job may be unknown just after it was created (decision 127).
    if (!job) return { state: isNew(thing, deps) ? 'underWay' : 'nothing' }
    if (!hasEnded(job)) return { state: 'underWay' }
    const id = idIn(job, kind)
    if (id !== undefined) return { state: 'made', id }
    if (job.status !== 'SUCCESS') return { state: 'nothing' }
    if (reads === MOST_READS) return { state: 'unnamed' }
  }
}

/** Whether the thing was requested so recently that the service need not show it yet. */
export function isNew({ at }: MadeThing, { clock }: Pick<ReconcileDeps, 'clock'>): boolean {
  return clock.now() - at < VISIBLE_WITHIN_MS
}

function idIn({ segmentId, matchId, activationId }: Job, kind: MadeKind): string | undefined {
  return { segment: segmentId, match: matchId, activation: activationId }[kind]
}
