import type { HttpOperation } from '../http/operation.ts'

/** The only media type of version 1 of the API (decision 19: the version is in Accept alone). */
export const VENDOR_MEDIA_TYPE = 'application/vnd.service.v1+json'

/**
 * One operation of the Audience Data Service, as data. The adapter's method, the step type, the `audience api` call,
 * the service's validation, the editors' schema, the OpenAPI file and the reference page all come from this.
 */
export interface Operation extends HttpOperation {
  /** The input field that is sent as a multipart file part of the same name (decision 106). */
  readonly upload?: string
  /**
   * The input fields whose value the response repeats, each with the response field that repeats it. If a response has
   * another value there, it is about a different resource. The id of a match is not among these fields, because the
   * path may take the id of the match's job instead (decision 71).
   */
  readonly shows?: Readonly<Record<string, string>>
  /** The one documented success status. */
  readonly status: 200 | 202
  /** What the Accept header must allow (decisions 3 and 4). */
  readonly accept: 'vendor' | 'any'
  /**
   * Statuses that mean that the resource in the path or body does not exist. The status of our own service comes first
   * (decision 74).
   */
  readonly notFound?: readonly (400 | 404)[]
  readonly list?: ListRule
  readonly job?: JobRule
  readonly repeat: RepeatRule
}

/** How an operation returns a list. */
export interface ListRule {
  /** The key of the item array, such as `segments` or `group` (decision 116). */
  readonly items: string
  /** The field that identifies an item, for removing rows that shifted between pages (decision 134). */
  readonly id: string
  /** Whether it takes `page` and `pageSize`; if not, everything is returned in one page. */
  readonly paged: boolean
  /** A 404 means an empty list (decision 121). */
  readonly emptyIs404?: boolean
}

/** An operation whose response is a job, which continues after the response. */
export interface JobRule {
  /** The field of the finished job that names the resource it made or changed. */
  readonly resource: 'segmentId' | 'matchId' | 'activationId'
  /** The operation that reads that resource, and the input field that takes its id. */
  readonly read: { readonly operation: 'segments.get' | 'matches.get' | 'activations.get'; readonly by: string }
}

/** What the client may do when it does not know whether a write happened (docs/decisions.md, "Repeating a write"). */
export type RepeatRule =
  /** Send it again: reading, updating and deleting have the same result, however often they happen. */
  | 'always'
  /** Send it again under the same content-addressed name. */
  | 'contentAddressed'
  /** Check whether the resource that it makes exists now. */
  | 'lookUp'
  /** Read the state, then send it again at most once, and report that. */
  | 'onceMore'
  /** Look it up; if it is not there, a person decides. */
  | 'never'
