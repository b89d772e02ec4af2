import type { StepContext } from '../core/engine.ts'
import type { MadeThing } from '../state/made-things.ts'
import type { ActivationMemory } from './activation-memory.ts'
import type { Sender } from './writes/outcome-unknown.ts'

/** What to do with an activation that differs from what the step wants. */
export type OnChange = 'fail' | 'keep' | 'replace'

/** What `activations.ensure` has to do. */
export type ActivationPlan =
  | { readonly state: 'create'; readonly changed: readonly string[] }
  | { readonly state: 'leave'; readonly activationId: string; readonly changed: readonly string[] }
  | { readonly state: 'replace'; readonly activationId: string; readonly changed: readonly string[] }
  /** Wait for the job of an earlier run. */
  | { readonly state: 'wait'; readonly jobId: string }
  /** Wait for the job of another activation, because the existing activation may be that one. */
  | { readonly state: 'busy'; readonly jobId: string }
  /** A person must say whether the activation was made. `jobId`: the job that should have made it. */
  | { readonly state: 'ambiguous'; readonly why: string; readonly sentBy: Sender; readonly jobId?: string }
  /**
   * A person must say whether one of the activations is the wanted one. If the answer is yes, the step takes the one
   * given here, or looks once more.
   */
  | { readonly state: 'undecided'; readonly why: string; readonly activationId?: string }
  /** It differs from what the step wants, and that cannot be changed (decision 147). */
  | {
      readonly state: 'conflict'
      readonly activationId: string
      readonly fields: readonly string[]
      /** Whether the step is known to have made it. If not, the step must not replace it. */
      readonly isOwn: boolean
    }

/** An activation that may be the step's. */
export interface Candidate {
  readonly activationId: string
  /** The fields in which it differs from what the step wants. */
  readonly differs: readonly string[]
  /** Whether it is known to belong to the wanted segment and match. */
  readonly isProven: boolean
  /** What this state knows about who made it. */
  readonly maker: MadeThing | undefined
  /** What the service shows about it, to show to people. */
  readonly shows: string
}

/** What was read before deciding. */
export interface ActivationSight {
  /** For the same segment, and for the same match unless `changed` says otherwise. */
  readonly memory: ActivationMemory | undefined
  /** The remembered activation, if it still exists. */
  readonly own: Candidate | undefined
  /** Activations with the same name and, as far as is known, the same target; oldest first. */
  readonly listed: readonly Candidate[]
  /** Contains `segment` or `match` if the existing activation belongs to another one. */
  readonly changed: readonly string[]
  /** The person's answer about the activation in doubt: it was made, or another one must be made. */
  readonly decision: StepContext['decision']
  /**
   * A running job. It makes the wanted activation, which no list shows yet, or another activation, which may be among
   * the listed ones.
   */
  readonly underWay?: { readonly jobId: string; readonly isWanted: boolean } | undefined
  /** Why a single candidate with an unknown maker may belong to another segment or match. */
  readonly doubt?: string | undefined
  /** Why the wanted activation may exist although nothing shows it. */
  readonly hidden?: string | undefined
}

/** Decides from memory if there is any, otherwise from the list (decisions 138, 147 and 153). */
export function decideActivation(sight: ActivationSight, onChange: OnChange): ActivationPlan {
  const { memory, own, listed, decision } = sight
  if (memory?.state === 'started') return { state: 'wait', jobId: memory.jobId }
  if (own) return asWanted(own, onChange, true)
  if (memory?.state !== 'sending') return decideByList(sight, onChange)
  const isOfOtherRun = ({ maker }: Candidate) => maker && !maker.found && maker.runId !== memory.runId
  const fresh = listed.filter((one) => !memory.before.includes(one.activationId) && !isOfOtherRun(one))
  const newest = fresh.at(-1)
  if (newest && decision === 'done') return asWanted(newest, onChange, true)
  const busy = newest && !newest.isProven && sight.underWay
  if (busy) return { state: 'busy', jobId: busy.jobId }
  if (newest && fresh.length === 1 && (newest.isProven || !sight.doubt)) return asWanted(newest, onChange, true)
  const seen = newest ? newOnes(fresh) : 'it is not there (yet)'
  const { runId, jobId } = memory
  return {
    state: 'ambiguous',
    why: `${seen}, and run ${runId} never learned whether it had made one`,
    sentBy: { runId },
    jobId,
  }
}

/**
 * Takes an activation that is proven to be the wanted one. Takes the only listed one without proof if its maker is
 * unknown and there is no doubt.
 */
function decideByList(
  { listed, changed, decision, underWay, doubt, hidden }: ActivationSight,
  onChange: OnChange,
): ActivationPlan {
  const proven = listed.filter(({ isProven }) => isProven)
  const open = proven.length > 0 ? proven : listed
  const candidate = open.filter(({ differs }) => differs.length === 0).at(-1) ?? open.at(-1)
  if (proven.length === 0 && underWay) {
    if (underWay.isWanted) return { state: 'wait', jobId: underWay.jobId }
    if (decision === undefined) return { state: 'busy', jobId: underWay.jobId }
  }
  if (!candidate && hidden !== undefined && decision !== 'again') return { state: 'undecided', why: hidden }
  if (!candidate) return { state: 'create', changed }
  if (proven.length === 0 && decision === 'again') return { state: 'create', changed }
  const isInDoubt = proven.length === 0 && (listed.length > 1 || doubt !== undefined || candidate.maker !== undefined)
  if (!isInDoubt || decision === 'done') return asWanted(candidate, onChange, false)
  const why = `nothing proves which of these belongs to the wanted segment and match${doubt === undefined ? '' : ` (${doubt})`}: ${open.map(described).join('; ')}`
  return { state: 'undecided', why, activationId: candidate.activationId }
}

function newOnes(fresh: readonly Candidate[]): string {
  const count = fresh.length === 1 ? 'is a new one' : `are ${fresh.length} new ones`
  return `there ${count} with this name, ${fresh.map(described).join('; ')}`
}

/** What is known about a candidate, to show to people. */
function described({ activationId, shows, maker }: Candidate): string {
  return `activation ${activationId} (${shows}, ${maker ? originOf(maker) : 'maker unknown'})`
}

function originOf({ pipeline, step, runId, found }: MadeThing): string {
  const by = runId === '' ? 'an earlier version' : `run ${runId}`
  return `${found ? 'found' : 'made'} by step "${step}" of pipeline "${pipeline}", ${by}`
}

function asWanted({ activationId, differs }: Candidate, onChange: OnChange, isOwn: boolean): ActivationPlan {
  if (differs.length === 0 || onChange === 'keep') return { state: 'leave', activationId, changed: differs }
  if (onChange === 'replace' && isOwn) return { state: 'replace', activationId, changed: differs }
  return { state: 'conflict', activationId, fields: differs, isOwn }
}
