import type { Job } from '../contract/job.ts'
import type { MadeKind, MadeThing } from '../state/made-things.ts'
import { hasEnded, readJob } from './read-job.ts'
import type { LookupDeps, ReconcileDeps } from './writes/reconciler.ts'

/** A listed thing, and the job that it shows. */
export interface Listed {
  readonly id: string
  readonly job?: string | undefined
}

/** What this state knows of listed things. */
export interface Makers {
  of(id: string): MadeThing | undefined
  /** Things whose job has not ended: any listed thing of an unknown maker may be one of them. */
  readonly underWay: readonly MadeThing[]
  /**
   * Things whose job ended without naming what it made, and those whose request got no answer: the same holds for them.
   */
  readonly unnamed: readonly MadeThing[]
}

/** A job may name what it made only when it is read again (decision 139). */
const MOST_READS = 3

/**
 * The makers of things of one name. If a listed thing is not known by its id, reads the jobs of entries with only a
 * known job: a run may have ended before its job did. The entry of `request` is the caller's own.
 */
export async function makersOf(
  listed: readonly Listed[],
  { kind, name, request }: { readonly kind: MadeKind; readonly name: string; readonly request?: string | undefined },
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
    const state = seen ? { state: 'made' as const, id: seen.id } : await stateOf(thing, deps)
    if (state.state === 'made') known.set(state.id, thing)
    else if (state.state === 'underWay') underWay.push(thing)
    else if (state.state === 'unnamed') unnamed.push(thing)
  }
  return { of: (id) => known.get(id), underWay, unnamed }
}

/** A wanted thing of this name that another step has begun to make and that no list shows yet. */
export async function wantedUnderWay(
  { kind, name }: { readonly kind: MadeKind; readonly name: string },
  isWanted: (thing: MadeThing) => boolean | Promise<boolean>,
  deps: ReconcileDeps,
): Promise<MadeThing | undefined> {
  for (const thing of await deps.made.named(kind, name)) {
    if (thing.id !== undefined || !(await isWanted(thing))) continue
    if ((await stateOf(thing, deps)).state === 'underWay') return thing
  }
  return undefined
}

type StateOfJob =
  | { readonly state: 'made'; readonly id: string }
  | { readonly state: 'underWay' | 'unnamed' }
  /** It failed, or the service does not know it any more. */
  | { readonly state: 'nothing' }

/** Why a thing of an unknown maker may be of this entry, for people. */
export function whyUnnamed({ runId, step, job }: MadeThing): string {
  return job === undefined
    ? `step "${step}" of run ${runId} asked for one, and nobody knows whether it was made`
    : `run ${runId} started job ${job}, which does not say what it made`
}

/** What became of a thing when only its job or its request is known. */
async function stateOf({ kind, job: jobId }: MadeThing, deps: LookupDeps): Promise<StateOfJob> {
  if (jobId === undefined) return { state: 'unnamed' }
  for (let reads = 1; ; reads += 1) {
    const job = await readJob(jobId, deps)
    if (!job) return { state: 'nothing' }
    if (!hasEnded(job)) return { state: 'underWay' }
    const id = idIn(job, kind)
    if (id !== undefined) return { state: 'made', id }
    if (job.status !== 'SUCCESS') return { state: 'nothing' }
    if (reads === MOST_READS) return { state: 'unnamed' }
  }
}

function idIn({ segmentId, matchId, activationId }: Job, kind: MadeKind): string | undefined {
  return { segment: segmentId, match: matchId, activation: activationId }[kind]
}
