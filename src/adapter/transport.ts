import type { Logger } from 'pino'
import type { SteadyClock } from '../core/clock.ts'
import type { Outcome } from '../core/errors.ts'
import type { Redact } from '../core/secrets.ts'
import { type Proxies, proxyFor } from '../platform/proxies.ts'
import { type Agent, type Connect, createAgent } from './agent.ts'
import { type BaseUrl, parseBaseUrl } from './base-url.ts'
import { CircuitBreaker } from './circuit-breaker.ts'
import type { FailureCode } from './failure.ts'
import { Pacer } from './pacer.ts'
import type { PollLimits } from './poller.ts'
import { DEFAULT_RETRY, type RetryLimits } from './retry-policy.ts'
import type { SilenceLimits } from './silence.ts'
import type { TokenProvider } from './tokens.ts'
import { type WarnOnce, warnOnce } from './warn-once.ts'

export interface TransportSettings {
  readonly baseUrl: string
  readonly token: TokenProvider
  readonly clock: SteadyClock
  /** From 0 (included) to 1 (not included). */
  readonly random: () => number
  readonly log: Logger
  /** Removes the token and other secrets from text that the service sends. */
  readonly redact: Redact
  readonly limits?: TransportLimits
  /** The proxies to use. If absent, every request goes directly to the service. */
  readonly proxies?: Proxies | undefined
  readonly connect?: Connect | undefined
  /** Called once for each request that was sent, when it has ended. */
  readonly onExchange?: (exchange: Exchange) => void
}

/** One request to the service, with or without an answer. A call that is repeated makes several. */
export interface Exchange {
  readonly operation: string
  /** The pipeline whose run made the call; undefined if no run did. */
  readonly pipeline?: string | undefined
  /** `done`: the service gave the answer that the operation promises. Otherwise, the outcome of the failure. */
  readonly outcome: 'done' | Outcome
  /** Why the outcome is not `done`. */
  readonly code?: FailureCode
  /** The duration of the whole exchange, without the wait for a slot. */
  readonly durationMs: number
}

/** All times are in milliseconds. */
interface TransportLimits extends Partial<SilenceLimits> {
  /** The maximum number of requests in progress at a time. */
  readonly concurrency?: number
  /** If absent, there is no limit. */
  readonly requestsPerSecond?: number
  /**
   * The maximum number of polls per second, for all jobs together: a whole number, or a number below one. The default
   * is 50.
   */
  readonly pollsPerSecond?: number
  /** The longest time between handing over the last part of the request and receiving the last byte of the answer. */
  readonly answerTimeoutMs?: number
  readonly maxResponseBytes?: number
  /** The service documents that it has done nothing if it answers 503 with `Retry-After` (decision 151). */
  readonly retryAfterMeansRefused?: boolean
  readonly retry?: Partial<RetryLimits>
}

type Shared = Pick<TransportSettings, 'token' | 'clock' | 'random' | 'log' | 'redact'> &
  Required<Pick<TransportSettings, 'onExchange'>> &
  Required<Pick<TransportLimits, 'answerTimeoutMs' | 'maxResponseBytes' | 'retryAfterMeansRefused'>>

/** The resources that all calls to one base URL share. */
export interface Transport extends Shared {
  readonly base: BaseUrl
  readonly agent: Agent
  readonly warn: WarnOnce
  readonly pacer: Pacer
  readonly polls: PollLimits
  readonly breaker: CircuitBreaker
  readonly retry: RetryLimits
  /** Aborts when the client is closed. */
  readonly closing: AbortSignal
  close(): Promise<void>
}

const DEFAULT_CONCURRENCY = 16
const MOST_POLLS_UNDER_WAY = 8
const DEFAULT_POLLS_PER_SECOND = 50
const CONNECT_TIMEOUT_MS = 10_000
const DEFAULT_TIMEOUT_MS = 60_000

export function createTransport(settings: TransportSettings): Transport {
  const { limits = {}, token, clock, random, log, redact } = settings
  const concurrency = limits.concurrency ?? DEFAULT_CONCURRENCY
  const base = parseBaseUrl(settings.baseUrl)
  const closing = new AbortController()
  const agent = createAgent({
    connections: concurrency,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    headersTimeoutMs: limits.headersTimeoutMs ?? DEFAULT_TIMEOUT_MS,
    bodyTimeoutMs: limits.bodyTimeoutMs ?? DEFAULT_TIMEOUT_MS,
    clock,
    connect: settings.connect,
    proxy: settings.proxies && proxyFor(new URL(base.origin), settings.proxies),
  })
  return {
    base,
    agent,
    token,
    clock,
    random,
    log,
    redact,
    warn: warnOnce((message) => log.warn(message)),
    pacer: new Pacer(clock, { concurrency, requestsPerSecond: limits.requestsPerSecond }, closing.signal),
    polls: {
      perSecond: limits.pollsPerSecond ?? DEFAULT_POLLS_PER_SECOND,
      // Half of the slots stay free for other calls, whose callers are waiting.
      concurrency: Math.min(MOST_POLLS_UNDER_WAY, Math.ceil(concurrency / 2)),
    },
    breaker: new CircuitBreaker(),
    retry: { ...DEFAULT_RETRY, ...limits.retry },
    answerTimeoutMs: limits.answerTimeoutMs ?? 2 * DEFAULT_TIMEOUT_MS,
    maxResponseBytes: limits.maxResponseBytes ?? 64 * 1024 * 1024,
    retryAfterMeansRefused: limits.retryAfterMeansRefused ?? false,
    onExchange: settings.onExchange ?? (() => undefined),
    closing: closing.signal,
    async close() {
      closing.abort(new Error('the API client was closed'))
      await agent.destroy()
    },
  }
}
