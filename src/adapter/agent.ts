import type { LookupFunction, Socket } from 'node:net'
import type * as undici from 'undici'
// @ts-expect-error: undici has no types for its parts.
import connectAlone from 'undici/lib/api/api-connect.js'
// @ts-expect-error: undici has no types for its parts.
import buildConnectorAlone from 'undici/lib/core/connect.js'
// @ts-expect-error: undici has no types for its parts.
import AgentAlone from 'undici/lib/dispatcher/agent.js'
// @ts-expect-error: undici has no types for its parts.
import PoolAlone from 'undici/lib/dispatcher/pool.js'
// @ts-expect-error: undici has no types for its parts.
import ProxyAgentAlone from 'undici/lib/dispatcher/proxy-agent.js'
import type { SteadyClock } from '../core/clock.ts'
import { DAY_MS } from '../core/duration.ts'
import type { ProxyRoute } from '../platform/proxies.ts'
import { guarded } from './guarded-connection.ts'
import type { SilenceLimits } from './silence.ts'

// Only these parts are loaded, because loading all of undici, with its fetch, caches and mocks, takes three times as
// long.
const UndiciAgent: typeof undici.Agent = AgentAlone
const Pool: typeof undici.Pool = PoolAlone
const ProxyAgent: typeof undici.ProxyAgent = ProxyAgentAlone
const connectTunnel: undici.Dispatcher['connect'] = connectAlone
const buildConnector: typeof undici.buildConnector = buildConnectorAlone

/** Connections to one target or to any target, through a proxy or directly. */
export interface Agent extends undici.Dispatcher {
  /** The proxy that the connections go through. Messages name it. */
  readonly via?: string
  /** Limits how long a request may take. */
  readonly timer: SteadyClock['timer']
  /**
   * In a world without a network: how long an answer may stall, by the clock of that world. Otherwise undici limits
   * this.
   */
  readonly silence?: SilenceLimits
}

/** A connection to the service, for a process that lives in a world without a network. */
export type Connect = () => Socket

export interface AgentOptions extends SilenceLimits {
  /** This is also how long a proxy may take to connect to the target. */
  connectTimeoutMs: number
  /** The maximum number of connections to one origin. */
  connections?: number
  /** Resolves names, unless a proxy does. */
  lookup?: LookupFunction
  proxy?: ProxyRoute | undefined
  /** If absent, the network is used. */
  connect?: Connect | undefined
  clock: Pick<SteadyClock, 'timer'>
}

/** In a world, the machine's clock must not cause a timeout. */
const UNLIMITED = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: DAY_MS, keepAliveMaxTimeout: DAY_MS } as const

/** Speaks HTTP/1.1, one request at a time on each connection, and skips any 1xx answer (decision 156). */
export function createAgent(options: AgentOptions): Agent {
  const { connectTimeoutMs, headersTimeoutMs, bodyTimeoutMs, connections, proxy } = options
  const { timer } = options.clock
  const shared = {
    allowH2: false,
    connections,
    pipelining: 1,
    // If the service closes an idle connection just as it is used again, the outcome of a write is unknown. So idle
    // connections are kept only briefly, and for at most 25 s even if the service promises longer.
    keepAliveTimeout: 10_000,
    keepAliveMaxTimeout: 25_000,
    headersTimeout: headersTimeoutMs,
    bodyTimeout: bodyTimeoutMs,
  }
  if (!proxy) {
    const { lookup } = options
    if (options.connect) {
      const connect = guarded(connectBy(options.connect))
      const agent = new UndiciAgent({ ...shared, ...UNLIMITED, connect })
      return Object.assign(agent, { timer, silence: { headersTimeoutMs, bodyTimeoutMs } })
    }
    const connect = buildConnector({ allowH2: false, timeout: connectTimeoutMs, lookup })
    const agent = new UndiciAgent({ ...shared, connect: guarded(connect) })
    return Object.assign(agent, { timer })
  }
  const agent = new ProxyAgent({
    ...shared,
    uri: proxy.url.href,
    connectTimeout: connectTimeoutMs,
    requestTls: { allowH2: false },
    proxyTls: { allowH2: false },
    // Connects to the target through a tunnel, or to a proxy that forwards plain HTTP.
    factory: (origin, given: { connect?: unknown }) => {
      const { connect } = given
      if (typeof connect !== 'function') throw new Error('undici gives each pool its way to connect')
      const own = guarded(connect as undici.buildConnector.connector)
      return new Pool(origin, { ...shared, connect: own })
    },
    // Requests the tunnel. Only the main entry point of undici gives a pool its `connect`, and that entry loads all of
    // undici.
    clientFactory: (origin, given: undici.Pool.Options) =>
      Object.assign(new Pool(origin, { ...given, headersTimeout: connectTimeoutMs }), { connect: connectTunnel }),
  })
  return Object.assign(agent, { via: proxy.shown, timer })
}

function connectBy(connect: Connect): undici.buildConnector.connector {
  return (_options, callback) => queueMicrotask(() => callback(null, connect()))
}
