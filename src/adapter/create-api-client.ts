import { isOperationId, operations } from '../contract/operations.ts'
import { type AudienceError, usageError } from '../core/errors.ts'
import { isJsonObject, type Json } from '../core/json.ts'
import type { ApiClient, BeforeSend, CallOptions, WaitForJobOptions } from './api-client.ts'
import { answerOf, callOperation } from './call-operation.ts'
import type { WireHeaders } from './exchange.ts'
import { listItems } from './list-items.ts'
import { lookAfter } from './look-after.ts'
import { planOf, type RequestPlan } from './request-plan.ts'
import { createTransport, type TransportSettings } from './transport.ts'
import { jobWaiter } from './wait-for-job.ts'

export interface ApiClientSettings extends TransportSettings {
  /** The paths of these lists at the service, because the contract does not give them (decision 115). */
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
  const groups = groupsOf(plans.keys())

  /** Keeps no reference to a client or a run, because a parked run waits without them. */
  const waitFor = (pipeline: string | undefined) => (jobId: string, options: WaitForJobOptions) =>
    waitForJob(jobId, { ...options, pipeline })

  function clientWith(own: Pick<CallOptions, 'beforeSend' | 'pipeline'>): ApiClient {
    const call = (id: string, input: unknown, options: CallOptions = {}) => {
      const plan = planFor(id)
      const { method, repeat } = plan.operation
      const made = callOperation(transport, plan, input, { ...options, ...own })
      // Only writes that may always be repeated are checked here. After other writes, the step finds out what happened.
      if (method === 'GET' || repeat !== 'always') return made
      return made.catch((error: unknown) => lookAfter(error, { id: plan.id, input }, untyped, options))
    }
    const items = (id: string, input: unknown, options: CallOptions = {}) => itemsOf(id, input, { ...options, ...own })
    const untyped = { call, items }
    const core = {
      call,
      items,
      untyped,
      waitForJob: waitFor(own.pipeline),
      guardedBy: (beforeSend: BeforeSend, pipeline?: string) => clientWith({ beforeSend, pipeline }),
      close: () => transport.close(),
    }
    const methods: Record<string, object> = {}
    for (const [group, shared] of groups) methods[group] = Object.assign(Object.create(shared), { call })
    return { ...methods, ...core } as unknown as ApiClient
  }

  const itemsOf = (id: string, input: unknown, options: CallOptions) => {
    const plan = planFor(id)
    const { list } = plan.operation
    if (!list) throw notAList(id)
    const filter = isJsonObject(input) ? input : {}
    const readPage = async (page: object | undefined) => {
      const { value, headers } = await answerOf(transport, plan, page ? { ...filter, ...page } : input, options)
      return { value, cachedBy: cachedBy(headers) }
    }
    const pause = (ms: number) => {
      const { clock, closing } = transport
      const signal = options.signal ? AbortSignal.any([closing, options.signal]) : closing
      // If the pause is interrupted, the next request reports it.
      return clock.sleep(ms, signal).catch(() => undefined)
    }
    return listItems({ operation: id, list, filter }, { readPage, pause })
  }
  return clientWith({})
}

type Call = (id: string, input: unknown, options?: CallOptions) => Promise<Json | undefined>

/** The methods of each group. All clients share them, because each attempt of a step has its own client. */
function groupsOf(ids: Iterable<string>): Map<string, object> {
  const groups = new Map<string, object>()
  for (const id of ids) {
    const [group = '', name = ''] = id.split('.')
    const method = function (this: { call: Call }, input: unknown, options?: CallOptions) {
      return this.call(id, input, options)
    }
    groups.set(group, { ...groups.get(group), [name]: method })
  }
  return groups
}

function notAList(id: string): AudienceError {
  return usageError('not-a-list', `${id} does not answer with a list`, 'call it without asking for all items')
}

/** The header values that many common caches send when they answer from memory. A revalidated hit does not count. */
const SIGNS: Readonly<Record<string, RegExp>> = {
  // Some caches add an age of 0 to every answer.
  Age: /^\s*0*[1-9]/,
  'Cache-Status': /;\s*hit\b/i,
  'CF-Cache-Status': /^(hit|stale|updating)/i,
  'X-Cache': /(?<![a-z]|refresh_)hit(?![a-z])/i,
  'X-Cache-Status': /^(hit|stale|updating)/i,
  'X-Proxy-Cache': /^(hit|stale|updating)/i,
}

/** The name of the header that shows that a cache answered instead of the service; undefined if no header does. */
function cachedBy(headers: WireHeaders): string | undefined {
  const found = Object.entries(SIGNS).find(([name, sign]) => sign.test(String(headers[name.toLowerCase()] ?? '')))
  return found?.[0]
}
