import type { JsonSchema, ObjectSchema } from '../core/json-schema.ts'

/** The one media type of version 1 of the API (decision 19: the version is in Accept alone). */
export const VENDOR_MEDIA_TYPE = 'application/vnd.service.v1+json'

/**
 * One operation of the Audience Data Service, as data. The adapter's method, the step type, the `audience api` call, the
 * service's validation, the editors' schema, the OpenAPI file and the reference page all come from this.
 */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the base URL, with `{name}` for the input fields that go into the path. */
  readonly path: string
  /** One line, imperative, for help, hover texts and reference pages. */
  readonly summary: string
  readonly description?: string
  /** All parameters in one flat object, whatever part of the request they travel in (see `placeOf`). */
  readonly input: ObjectSchema
  /** Rules between fields, each a JSON Schema with a `description` that is the error text. */
  readonly rules?: readonly JsonSchema[]
  /** Input fields that go into the query although the method has a body (decision 105). */
  readonly query?: readonly string[]
  /** The input field that is sent as a multipart file part of the same name (decision 106). */
  readonly upload?: string
  /** The response's body; null when there is none (decisions 53, 76). */
  readonly output: ObjectSchema | null
  /** The one documented status of success. */
  readonly status: 200 | 202
  /** What the Accept header has to allow (decisions 3 and 4). */
  readonly accept: 'vendor' | 'any'
  /** Statuses that mean that the resource in the path or body is not there, our service's own first (decision 74). */
  readonly notFound?: readonly (400 | 404)[]
  readonly list?: ListRule
  readonly job?: JobRule
  readonly repeat: RepeatRule
}

/** How a list answers. */
export interface ListRule {
  /** The key of the item array, such as `segments` or `group` (decision 116). */
  readonly items: string
  /** The field that identifies an item, for removing rows that shifted between pages (decision 134). */
  readonly id: string
  /** Whether it takes `page` and `pageSize`; otherwise everything comes in one page. */
  readonly paged: boolean
  /** A 404 means an empty list (decision 121). */
  readonly emptyIs404?: boolean
}

/** An operation that answers with a job that goes on after the answer. */
export interface JobRule {
  /** The field of the finished job that names the resource it made or changed. */
  readonly resource: 'segmentId' | 'matchId' | 'activationId'
  /** The operation that reads that resource, and the input field that takes its id. */
  readonly read: { readonly operation: 'segments.get' | 'matches.get' | 'activations.get'; readonly by: string }
}

/** What the client may do when it does not know whether a write happened (docs/decisions.md, "Repeating a write"). */
export type RepeatRule =
  /** Send it again: reading, updating and deleting end the same however often they happen. */
  | 'always'
  /** Send it again under the same content-addressed name. */
  | 'contentAddressed'
  /** Look whether what it makes is there now. */
  | 'lookUp'
  /** Read the state, then send again once at the most, and say so. */
  | 'onceMore'
  /** Look it up; if it is not there, a person decides. */
  | 'never'

/** Where an input field travels. */
export type Place = 'path' | 'query' | 'body' | 'part'

/** Where the field `name` of an operation's input travels: path, then upload part, then query, then body. */
export function placeOf(operation: Operation, name: string): Place {
  if (operation.path.includes(`{${name}}`)) return 'path'
  if (operation.upload === name) return 'part'
  if (operation.method === 'GET' || operation.method === 'DELETE' || operation.query?.includes(name)) return 'query'
  return 'body'
}
