import type { ApiClient } from '../../adapter/api-client.ts'
import type { InputOf, OperationId, operations } from '../../contract/operations.ts'
import type { JsonObject } from '../../core/json.ts'

/** The writes that must not be sent twice blindly: those whose contract says how to find out instead. */
export type ReconciledId = {
  [Id in OperationId]: (typeof operations)[Id]['repeat'] extends 'lookUp' | 'onceMore' | 'never' ? Id : never
}[OperationId]

/** How one operation finds out what became of a request whose answer was lost (docs/decisions.md, "Repeating a write"). */
export interface Reconciler<Id extends OperationId> {
  /** What `look` looks for, for people: `a segment with participantSegmentId "autos"`. */
  lookedFor(request: InputOf<Id>): string
  /** Read before the request goes out: what `look` will need to tell its effect from what was there. */
  before(request: InputOf<Id>, means: LookMeans): Promise<JsonObject>
  /** One look at the service. */
  look(write: LostWrite<Id>, means: LookMeans): Promise<Verdict>
  /** What a 400 or 409 to a request means where an earlier one may have taken effect; what it says is no proof (decision 144). */
  refusal(before: JsonObject): RefusalMeaning
  /** How long its effect may be invisible, in milliseconds; 15 s where it is not given. */
  readonly visibleWithinMs?: number
}

type RefusalMeaning =
  /** Look until patience ends. */
  | 'look'
  /** The same; to send it again in between is harmless. */
  | 'lookAndSendAgain'
  /** The request is refused, and no earlier one took effect. */
  | 'final'

/** One look for what became of a request. */
export type Look = (signal: AbortSignal) => Promise<Verdict>

export interface LookMeans {
  readonly api: ApiClient
  readonly signal: AbortSignal
}

/** A request without an answer. */
interface LostWrite<Id extends OperationId> {
  readonly request: InputOf<Id>
  readonly before: JsonObject
  /** A person has said that it was done. */
  readonly confirmed: boolean
}

/** What a look says about a lost request. */
export type Verdict =
  /** It took effect; `answer` has the id of its job, or of what it made. */
  | { readonly state: 'done'; readonly answer: FoundAnswer }
  /** It did not, as far as can ever be seen. */
  | { readonly state: 'notDone' }
  /** Nothing is to be seen of it; that may be too early to tell. */
  | { readonly state: 'unseen' }
  /** Something is going on that may be it: its end will tell. */
  | { readonly state: 'underWay' }
  /** More looking will not help; `why` is for people. */
  | { readonly state: 'undecided'; readonly why: string }

/** As much of a job as is known of it. */
export type FoundAnswer = {
  readonly id?: string
  readonly segmentId?: string
  readonly matchId?: string
  readonly activationId?: string
}

/** A list of ids as `before` keeps it. */
export function idsIn(before: JsonObject): readonly string[] {
  return Array.isArray(before.ids) ? before.ids.filter((id) => typeof id === 'string') : []
}
