import type { ApiClient } from '../../adapter/api-client.ts'
import type { InputOf, OperationId, operations } from '../../contract/operations.ts'
import type { SteadyClock } from '../../core/clock.ts'
import type { JsonObject } from '../../core/json.ts'
import type { ReadableMadeThings } from '../../state/made-things.ts'

/** The writes that must not be sent twice blindly. Their contract says how to find out what happened. */
export type ReconciledId = {
  [Id in OperationId]: (typeof operations)[Id]['repeat'] extends 'lookUp' | 'onceMore' | 'never' ? Id : never
}[OperationId]

/** How an operation finds out what a request without an answer did (docs/decisions.md, "Repeating a write"). */
export interface Reconciler<Id extends OperationId> {
  /** What `look` looks for, in words that people understand: `a segment with participantSegmentId "autos"`. */
  lookedFor(request: InputOf<Id>): string
  /**
   * Read before the request is sent: what `look` needs to distinguish the request's effect from what existed before.
   */
  before(request: InputOf<Id>, deps: ReconcileDeps): Promise<JsonObject>
  /** One check of the service. */
  look(write: LostWrite<Id>, deps: ReconcileDeps): Promise<Finding>
  /**
   * A last check for an effect in another form. Used if the other checks showed nothing although the write has probably
   * taken effect. It may be costly.
   */
  lookWider?(write: LostWrite<Id>, deps: ReconcileDeps): Promise<Finding>
  /**
   * What a 400 or 409 means when an earlier request may have taken effect. The text of the refusal proves nothing
   * (decision 144).
   */
  refusal(before: JsonObject): RefusalMeaning
  /** How long its effect may be invisible, in milliseconds; the default is 15 s. */
  readonly visibleWithinMs?: number
}

type RefusalMeaning =
  /** Poll until `maxWaitMs` has passed. */
  | 'look'
  /** Poll in the same way; sending the request again in between is harmless. */
  | 'lookAndSendAgain'
  /** The request is refused, and no earlier one took effect. */
  | 'final'

/** One check for the outcome of a request. `jobId`: the job that it started; `isWide`: see `lookWider`. */
export type OutcomeLook = (
  signal: AbortSignal,
  how?: { jobId?: string | undefined; isWide?: boolean },
) => Promise<Finding>

export interface LookupDeps {
  api: ApiClient
  signal: AbortSignal
}

/** What a reconciler uses: the service, and this state's records of who made things there. */
export type ReconcileDeps = LookupDeps & { readonly made: ReadableMadeThings; readonly clock: SteadyClock }

/** A request without an answer. */
export interface LostWrite<Id extends OperationId> {
  readonly request: InputOf<Id>
  readonly before: JsonObject
  /** A person has said that it was done. */
  readonly confirmed: boolean
  /** Its entry among the things that this state made. */
  readonly key?: string | undefined
  /** The step accepts a resource that another step of this state made. */
  readonly takesOthers?: boolean
  /** The job that the request started, if its answer was not lost. What this job made belongs to the request. */
  readonly jobId?: string | undefined
}

/** The result of one check for a lost request. */
export type Finding =
  /** It took effect; `answer` has the id of its job or of what it made. */
  | { readonly state: 'done'; readonly answer: FoundAnswer }
  /** It did not take effect, as far as can be known. */
  | { readonly state: 'notDone' }
  /** Its effect is not visible; it may be too early to tell. */
  | { readonly state: 'notVisible' }
  /** Work that may be this request is in progress; its end will show whether it is. */
  | { readonly state: 'inProgress' }
  /** More polling will not help; `why` is for people. */
  | { readonly state: 'ambiguous'; readonly why: string }

/** The known part of a job. */
export type FoundAnswer = {
  readonly id?: string
  readonly segmentId?: string
  readonly matchId?: string
  readonly activationId?: string
}

/** The list of ids that `before` keeps. */
export function idsIn(before: JsonObject): readonly string[] {
  return Array.isArray(before.ids) ? before.ids.filter((id) => typeof id === 'string') : []
}
