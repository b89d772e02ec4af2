import type { Job } from '../contract/jobs.ts'
import { type InputOf, isOperationId, type OperationId, type OutputOf, operations } from '../contract/operations.ts'
import { AudienceError } from '../core/errors.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { isJsonObject } from '../core/json.ts'
import { type CallOptions, callOperation } from './call-operation.ts'
import type { BeforeSend } from './exchange.ts'
import { listItems } from './list-items.ts'
import { planOf, type RequestPlan } from './request-plan.ts'
import { createTransport, type TransportSettings } from './transport.ts'
import { jobWaiter, type WaitForJobOptions } from './wait-for-job.ts'

/** The operations that answer with a list. */
type ListId = {
  [Id in OperationId]: (typeof operations)[Id] extends { readonly list: object } ? Id : never
}[OperationId]

type ItemsKey<Id extends ListId> = (typeof operations)[Id]['list']['items']

/** One item of a list. */
type ItemOf<Id extends ListId> =
  OutputOf<Id> extends { readonly [Key in ItemsKey<Id>]: readonly (infer Item)[] } ? Item : never

/** The filters of a list, without the paging, which the client does itself. */
type FilterOf<Id extends ListId> = Omit<InputOf<Id>, 'page' | 'pageSize'>

type GroupOf<Id extends OperationId> = Id extends `${infer Group}.${string}` ? Group : never

/** `client.segments.create(input)` and so on: one method an operation, as in the contract. */
type Methods = {
  readonly [Group in GroupOf<OperationId>]: {
    readonly [Id in Extract<OperationId, `${Group}.${string}`> as Id extends `${Group}.${infer Name}` ? Name : never]: (
      input: InputOf<Id>,
      options?: CallOptions,
    ) => Promise<OutputOf<Id>>
  }
}

/**
 * The Audience Data Service, as in the contract. 64-bit ids are decimal strings. A call throws ApiError, with the
 * outcome, if the request failed. It throws another AudienceError if the input violates the contract (`invalid-input`),
 * or if a token or file is missing; then nothing has taken effect.
 */
export interface ApiClient extends Methods {
  call<Id extends OperationId>(id: Id, input: InputOf<Id>, options?: CallOptions): Promise<OutputOf<Id>>
  /** All items of a list. It reads the pages as they are needed. */
  items<Id extends ListId>(id: Id, input: FilterOf<Id>, options?: CallOptions): AsyncIterable<ItemOf<Id>>
  /** For callers that learn the operation at run time; the input is checked in the same way. */
  readonly untyped: {
    call(id: OperationId, input: unknown, options?: CallOptions): Promise<Json | undefined>
    items(id: OperationId, input: unknown, options?: CallOptions): AsyncIterable<JsonObject>
  }
  /**
   * Waits until the job has ended successfully. Throws JobFailedError or JobTimeoutError. Aborting ends the waiting,
   * not the job. All waits of a client share `limits.pollsPerSecond`.
   */
  waitForJob(jobId: string, options: WaitForJobOptions): Promise<Job>
  /** The same client, but it calls `beforeSend` before it sends anything except reads (`CallOptions.beforeSend`). */
  guardedBy(beforeSend: BeforeSend): ApiClient
  /** Ends all calls in progress; they fail as interrupted. */
  close(): Promise<void>
}

export interface ApiClientSettings extends TransportSettings {
  /** The service's paths for lists whose paths the contract does not show (decision 115). */
  readonly paths?: { readonly [Id in 'groups.list' | 'partners.list']?: string }
}

export function createApiClient(settings: ApiClientSettings): ApiClient {
  const transport = createTransport(settings)
  const plans = new Map<string, RequestPlan>()
  const paths: Readonly<Record<string, string | undefined>> = settings.paths ?? {}
  for (const id of Object.keys(operations)) if (isOperationId(id)) plans.set(id, planOf(id, paths[id]))

  const planFor = (id: string): RequestPlan => {
    const plan = plans.get(id)
    if (!plan) throw new Error(`there is no operation ${id}`)
    return plan
  }
  const waitForJob = jobWaiter(transport, planFor('jobs.get'))

  function clientWith(guard: Pick<CallOptions, 'beforeSend'>): ApiClient {
    const call = (id: string, input: unknown, options: CallOptions = {}) =>
      callOperation(transport, planFor(id), input, { ...options, ...guard })
    const core = {
      call,
      items,
      untyped: { call, items },
      waitForJob,
      guardedBy: (beforeSend: BeforeSend) => clientWith({ beforeSend }),
      close: () => transport.close(),
    }
    return Object.assign(methodsOf(plans.keys(), call), core) as unknown as ApiClient
  }

  const items = (id: string, input: unknown, options: CallOptions = {}) => {
    const plan = planFor(id)
    const { list } = plan.operation
    if (!list) throw notAList(id)
    const filter = isJsonObject(input) ? input : {}
    const read = (page: object | undefined) =>
      callOperation(transport, plan, page ? { ...filter, ...page } : input, options)
    return listItems({ operation: id, list, filter }, read)
  }
  return clientWith({})
}

type Call = (id: string, input: unknown, options?: CallOptions) => Promise<Json | undefined>

function methodsOf(ids: Iterable<string>, call: Call): object {
  const methods: Record<string, Record<string, unknown>> = {}
  for (const id of ids) {
    const [group = '', name = ''] = id.split('.')
    const method = (input: unknown, options?: CallOptions) => call(id, input, options)
    methods[group] = { ...methods[group], [name]: method }
  }
  return methods
}

function notAList(id: string): AudienceError {
  return new AudienceError({
    code: 'not-a-list',
    kind: 'usage',
    message: `${id} does not answer with a list`,
    hint: 'call it without asking for all items',
  })
}
