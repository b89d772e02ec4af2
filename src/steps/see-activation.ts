import type { StepContext } from '../core/engine.ts'
import { activationDifferences } from './activation-differences.ts'
import {
  type ActivationMemory,
  type ActivationTarget,
  activationKey,
  activationMemory,
  ownerAt,
  ownerOf,
} from './activation-memory.ts'
import { type ActivationPlan, type Candidate, decideActivation } from './decide-activation.ts'
import type { PlanDeps } from './define-step.ts'
import { readAfterJob } from './read-after-job.ts'
import { readIfThere } from './read-if-there.ts'
import { hasEnded, readJob } from './read-job.ts'
import { type ActivationRequest, hasSameName } from './same-activation.ts'
import type { LookupDeps } from './writes/reconciler.ts'

type SeeDeps = Pick<PlanDeps, 'stepMemory' | 'profile' | 'clock'> & LookupDeps
type Place = Pick<StepContext, 'pipeline' | 'stepId' | 'decision'>

/** What to do about a step's activation, and the segment and match it should belong to. */
export type ActivationView = {
  readonly plan: ActivationPlan
  readonly target: ActivationTarget
  /** The existing activations with that name. */
  readonly before: readonly string[]
}

/**
 * Reads the state of a step's activation, the remembered one first (decision 138), and decides what to do. Reads only.
 */
export async function seeActivation(
  input: ActivationRequest & { readonly onChange?: 'fail' | 'keep' | 'replace' },
  place: Place,
  deps: SeeDeps,
): Promise<ActivationView> {
  const { onChange = 'fail' } = input
  const matchId = (await readJob(input.matchJobId, deps))?.matchId ?? null
  const target = { segmentId: input.segmentId, matchId }
  const settled = await settle(
    activationMemory(await deps.stepMemory.get(activationKey(input, place, deps))),
    place,
    deps,
  )
  if (settled.state === 'notVisible') return { plan: { state: 'ambiguous', why: settled.why }, target, before: [] }
  const { memory } = settled
  const isOfOther = memory && memory.matchId !== null && matchId !== null && memory.matchId !== matchId
  const own = memory?.state === 'known' && !isOfOther ? await readOwn(memory, input, deps) : undefined
  const listed = own ? NOTHING_LISTED : await list(input, target, place, deps)
  const changed = isOfOther ? ['match'] : listed.ofOtherSegment ? ['segment'] : []
  const sight = {
    memory: isOfOther ? undefined : memory,
    own,
    listed: listed.candidates,
    changed,
    confirmed: place.decision === 'done',
  }
  return { plan: decideActivation(sight, onChange), target, before: listed.ids }
}

/** The memory, updated with the outcome of what was in progress. */
async function settle(
  memory: ActivationMemory | undefined,
  { decision }: Place,
  deps: SeeDeps,
): Promise<{ state: 'seen'; memory: ActivationMemory | undefined } | { state: 'notVisible'; why: string }> {
  if (memory?.state === 'sending' && decision === 'again') return { state: 'seen', memory: undefined }
  if (memory?.state !== 'started') return { state: 'seen', memory }
  const { segmentId, matchId, sent, runId, jobId } = memory
  const job = await readJob(jobId, deps)
  if (job && !hasEnded(job)) return { state: 'seen', memory }
  const isMade = job === undefined || job.status === 'SUCCESS' || job.status === 'PARTIAL_SUCCESS'
  if (!isMade || decision === 'again') return { state: 'seen', memory: undefined }
  const common = { segmentId, matchId, sent }
  const { activationId } = job ?? {}
  // The job does not say whether it made one: treated like a lost answer.
  if (activationId === undefined) return { state: 'seen', memory: { ...common, state: 'sending', runId, before: [] } }
  const read = () => deps.api.activations.get({ id: activationId }, { signal: deps.signal })
  const isThere = (await readIfThere(() => readAfterJob(read, deps))) !== undefined
  return isThere
    ? { state: 'seen', memory: { ...common, state: 'known', activationId } }
    : { state: 'notVisible', why: `job ${jobId} made activation ${activationId}, which does not show` }
}

/** The remembered activation, which the list need not show; undefined if it is gone. */
async function readOwn(
  { activationId: id, sent }: Extract<ActivationMemory, { state: 'known' }>,
  input: ActivationRequest,
  { api, signal }: SeeDeps,
): Promise<Candidate | undefined> {
  const activation = await readIfThere(() => api.activations.get({ id }, { signal }))
  const isNamed = activation && (activation.ActivationName ?? input.activationName) === input.activationName
  return isNamed ? { activationId: id, differs: activationDifferences(activation, input, sent) } : undefined
}

interface Listed {
  readonly candidates: readonly Candidate[]
  /** The ids of all activations with that name. */
  readonly ids: readonly string[]
  /** Whether the step has an activation of that name for another segment. */
  readonly ofOtherSegment: boolean
}

const NOTHING_LISTED: Listed = { candidates: [], ids: [], ofOtherSegment: false }

/** The activations of that name, except those known to have another target, or to belong to another step and differ. */
async function list(
  input: ActivationRequest,
  { segmentId, matchId }: ActivationTarget,
  place: Place,
  deps: SeeDeps,
): Promise<Listed> {
  const candidates: Candidate[] = []
  const ids: string[] = []
  let ofOtherSegment = false
  for await (const activation of deps.api.items('activations.list', {}, { signal: deps.signal })) {
    if (!hasSameName(activation, input)) continue
    const { ActivationId: activationId } = activation
    ids.push(activationId)
    const owner = await ownerOf(activationId, deps)
    const differs = activationDifferences(activation, input, undefined)
    if (owner && owner.segmentId !== segmentId) ofOtherSegment ||= owner.owner === ownerAt(place)
    else if (owner?.matchId && matchId && owner.matchId !== matchId) continue
    else if (owner && owner.owner !== ownerAt(place) && differs.length > 0) continue
    else candidates.push({ activationId, differs })
  }
  return { candidates, ids, ofOtherSegment }
}
