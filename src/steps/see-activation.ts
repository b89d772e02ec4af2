import type { Activation } from '../contract/activations.ts'
import type { StepContext } from '../core/engine.ts'
import type { MadeThing } from '../state/made-things.ts'
import { activationDifferences } from './activation-differences.ts'
import { type ActivationMemory, activationKey, activationMemory, type TargetIds } from './activation-memory.ts'
import {
  type ActivationPlan,
  type ActivationSight,
  type Candidate,
  decideActivation,
  type OnChange,
} from './decide-activation.ts'
import type { StepPlanDeps } from './define-step.ts'
import { fitOfMaker } from './fit-of-maker.ts'
import { madeForActivation } from './made-for.ts'
import { isKeptAs, refuseOther } from './made-other.ts'
import { type Makers, makersOf, whyUnnamed } from './makers-of.ts'
import { type Fit, targetIn } from './ownership.ts'
import { readAfterJob } from './read-after-job.ts'
import { readIfThere } from './read-if-there.ts'
import { hasEnded, readJob } from './read-job.ts'
import { type ActivationRequest, hasSameName, whoseIs } from './same-activation.ts'
import { shown } from './shown.ts'
import { unlisted } from './unlisted.ts'
import type { LookupDeps } from './writes/reconciler.ts'

type SeeDeps = Pick<StepPlanDeps, 'stepMemory' | 'made' | 'profile' | 'clock'> & LookupDeps
type Place = Pick<StepContext, 'pipeline' | 'stepId' | 'decision'>

/** What to do about a step's activation, and the segment and match that it should belong to. */
export type ActivationView = {
  readonly plan: ActivationPlan
  readonly target: TargetIds
  /** The existing activations with that name. */
  readonly before: readonly string[]
}

/** Reads a step's activation, the remembered one first (decision 138), and decides what to do. Writes nothing. */
export async function seeActivation(
  input: ActivationRequest & { onChange?: OnChange },
  place: Place,
  deps: SeeDeps,
): Promise<ActivationView> {
  const { onChange = 'fail' } = input
  const matchId = (await readJob(input.matchJobId, deps))?.matchId ?? null
  const target = { segmentId: input.segmentId, matchId }
  const remembers = activationMemory(await deps.stepMemory.get(activationKey(input, place, deps)))
  const settled = await settle(remembers, place, deps)
  if (settled.state === 'ambiguous') return { plan: settled, target, before: [] }
  const { memory } = settled
  const isOfOther = memory && memory.matchId !== null && matchId !== null && memory.matchId !== matchId
  const remembered = memory?.state === 'known' && !isOfOther ? await readOwn(memory, input, deps) : undefined
  if (remembered?.doubt !== undefined && place.decision === undefined) {
    const { doubt: why, candidate } = remembered
    return { plan: { state: 'undecided', why, activationId: candidate.activationId }, target, before: [] }
  }
  const own = remembered?.doubt === undefined || place.decision === 'done' ? remembered?.candidate : undefined
  const wanted = { ...target, matchJobId: input.matchJobId }
  const { ids, ofOtherSegment, ...listed }: Listed = own ? NOTHING_LISTED : await list(input, wanted, place, deps)
  const changed = isOfOther ? ['match'] : ofOtherSegment ? ['segment'] : []
  const { decision } = place
  const sight = { ...listed, memory: isOfOther ? undefined : memory, own, changed, decision }
  return { plan: decideActivation(sight, onChange), target, before: ids }
}

/** The memory, updated with the outcome of what was in progress. */
async function settle(
  memory: ActivationMemory | undefined,
  { decision }: Place,
  deps: SeeDeps,
): Promise<{ state: 'seen'; memory: ActivationMemory | undefined } | Extract<ActivationPlan, { state: 'ambiguous' }>> {
  if (memory?.state === 'sending' && decision === 'again') return { state: 'seen', memory: undefined }
  if (memory?.state !== 'started') return { state: 'seen', memory }
  const { segmentId, matchId, sent, runId, jobId } = memory
  const job = await readJob(jobId, deps)
  if (job && !hasEnded(job)) return { state: 'seen', memory }
  const isMade = job === undefined || job.status === 'SUCCESS' || job.status === 'PARTIAL_SUCCESS'
  if (!isMade || decision === 'again') return { state: 'seen', memory: undefined }
  const common = { segmentId, matchId, sent }
  const { activationId } = job ?? {}
  // The job does not say whether it made one, so this is treated like a lost answer.
  if (activationId === undefined) {
    return { state: 'seen', memory: { ...common, state: 'sending', runId, jobId, before: [] } }
  }
  const read = () => deps.api.activations.get({ id: activationId }, { signal: deps.signal })
  const isThere = (await readIfThere(() => readAfterJob(read, deps))) !== undefined
  if (isThere) return { state: 'seen', memory: { ...common, state: 'known', activationId } }
  const why = `job ${jobId} made activation ${activationId}, but the service does not show it`
  return { state: 'ambiguous', why, sentBy: { runId }, jobId }
}

interface Remembered {
  readonly candidate: Candidate
  /** Why it may be a different activation by now. */
  readonly doubt?: string
}

/** The remembered activation, which the list need not show; undefined if it is gone. */
async function readOwn(
  { activationId: id, sent }: Extract<ActivationMemory, { state: 'known' }>,
  input: ActivationRequest,
  { api, signal }: SeeDeps,
): Promise<Remembered | undefined> {
  const activation = await readIfThere(() => api.activations.get({ id }, { signal }))
  if (!activation) return undefined
  const differs = activationDifferences(activation, input, sent)
  const candidate = { activationId: id, differs, isProven: true, maker: undefined, shows: shownOf(activation) }
  const name = shown(activation.ActivationName)
  if (name === undefined || isKeptAs(name, input.activationName)) return { candidate }
  return { candidate, doubt: `activation ${id}, which this step made, shows the name ${JSON.stringify(name)}` }
}

interface Listed extends Pick<ActivationSight, 'listed' | 'underWay' | 'doubt' | 'hidden'> {
  /** The ids of all activations with that name. */
  readonly ids: readonly string[]
  /** Whether the step has an activation of that name for another segment. */
  readonly ofOtherSegment: boolean
}

const NOTHING_LISTED = { listed: [], ids: [], ofOtherSegment: false }

/**
 * The activations with that name. Leaves out those that are known to have another target, and those of another step
 * that differ from the wanted one.
 */
async function list(
  input: ActivationRequest,
  target: TargetIds & { matchJobId: string },
  place: Place,
  deps: SeeDeps,
): Promise<Listed> {
  const named: Activation[] = []
  for await (const activation of deps.api.items('activations.list', {}, { signal: deps.signal })) {
    if (hasSameName(activation, input)) named.push(activation)
  }
  const ids = named.map(({ ActivationId }) => ActivationId)
  const what = madeForActivation(input)
  const makers = await makersOf(
    named.map(({ ActivationId: id }) => ({ id })),
    what,
    deps,
  )
  const candidates: Candidate[] = []
  let ofOtherSegment = false
  for (const activation of named) {
    const maker = makers.of(activation.ActivationId)
    const fit = await fitOfMaker(maker, target, deps)
    const isOther = fit === 'none' && isOwn(maker, place) && targetIn(maker)?.segmentId !== target.segmentId
    ofOtherSegment ||= isOther
    candidates.push(...candidateOf(activation, { maker, fit }, input, place))
  }
  const isWanted = async (thing: MadeThing) => (await fitOfMaker(thing, target, deps)) === 'sure'
  const isProven = candidates.some((candidate) => candidate.isProven)
  const hidden = isProven ? undefined : await unlisted({ ...what, listed: ids }, isWanted, readHidden, deps)
  if (hidden?.state === 'there') candidates.push(hidden.thing)
  const isAnyUnknown = candidates.some(({ maker }) => maker === undefined)
  const [other] = isAnyUnknown ? makers.underWay : []
  const unnamed = isAnyUnknown ? await unwanted(makers.unnamed, isWanted) : undefined
  const underWay =
    hidden?.state === 'underWay'
      ? { jobId: hidden.jobId, isWanted: true }
      : other?.job
        ? { jobId: other.job, isWanted: false }
        : undefined
  return {
    listed: candidates,
    ids,
    ofOtherSegment,
    underWay,
    doubt: unnamed ? whyUnnamed(unnamed) : doubtOfRole(named, makers),
    hidden: hidden?.state === 'unknown' ? whyUnnamed(hidden.maker) : undefined,
  }

  async function readHidden({ id, maker }: { id: string; maker: MadeThing }) {
    const activation = await deps.api.activations.get({ id }, { signal: deps.signal })
    refuseOther('activations.create', input, id, activation)
    const [candidate] = candidateOf({ ...activation, ActivationId: id }, { maker, fit: 'sure' }, input, place)
    return candidate
  }
}

/** A candidate; undefined for a different activation that belongs to another step. */
function candidateOf(
  activation: Activation,
  { maker, fit }: { maker: MadeThing | undefined; fit: Fit },
  input: ActivationRequest,
  place: Place,
): Candidate[] {
  const differs = activationDifferences(activation, input, undefined)
  if (fit === 'none' || (maker && !isOwn(maker, place) && differs.length > 0)) return []
  const { ActivationId: activationId } = activation
  return [{ activationId, differs, isProven: fit === 'sure', maker, shows: shownOf(activation) }]
}

function isOwn(maker: MadeThing | undefined, { pipeline, stepId }: Place): maker is MadeThing {
  return maker?.pipeline === pipeline && maker.step === stepId
}

/**
 * The first request with a known job or for another target; undefined if there is none. A request for the same target,
 * without a known job, does not count, because what it may have made is wanted, too.
 */
async function unwanted(
  unnamed: readonly MadeThing[],
  isWanted: (thing: MadeThing) => Promise<boolean>,
): Promise<MadeThing | undefined> {
  for (const one of unnamed) if (one.job || !(await isWanted(one))) return one
  return undefined
}

/** Lists also contain the activations of others. If the maker is unknown, only the caller's role shows the owner. */
function doubtOfRole(named: readonly Activation[], makers: Makers): string | undefined {
  const one = named.find((each) => makers.of(each.ActivationId) === undefined && whoseIs(each) === 'unknown')
  return one && `your role in activation ${one.ActivationId} is ${JSON.stringify(one.myRole)}`
}

function shownOf({ Status, campaign, agency, brand }: Activation): string {
  const texts = Object.entries({ status: Status, campaign, agency, brand })
  return texts.map(([name, value]) => `${name} ${shown(value) ?? 'not shown'}`).join(', ')
}
