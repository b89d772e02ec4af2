import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import type { SteadyClock } from '../../core/clock.ts'
import { codeOf } from '../../core/code-of.ts'
import { AudienceError } from '../../core/errors.ts'
import { type HostPattern, readHostPattern } from '../../core/host-pattern.ts'
import { messageOf } from '../../core/message-of.ts'
import type { Redact } from '../../core/secrets.ts'
import { closeServer } from '../../platform/close-server.ts'
import type { Stall } from './heartbeats.ts'
import { isKnownHost } from './known-host.ts'
import { type Condition, notReady } from './readiness.ts'

/** An `import` of `node:http` would also load Node's fetch, which adds 30 ms to every start. */
const { createServer } = process.getBuiltinModule('node:http')

export interface HealthServerOptions {
  host: string
  /** 0 takes a free port. */
  port: number
  /**
   * The hosts for which it answers, in addition to loopback names, `host` and the address at which a request came in.
   */
  hosts: readonly HostPattern[]
  health: {
    /** The loops that are no longer running. */
    stalled(): readonly Stall[]
    /** What this process is working on: runs, and its waits for jobs and similar things (`Engine.load`). */
    load(): { runs: number; waits: number }
    /** The runs of this process that cannot be recorded or resumed (`Engine.stuck`). */
    stuck(): readonly string[]
    checks: Readonly<Record<string, Condition>>
  }
  metrics: { contentType: string; text(): Promise<string> }
  clock: SteadyClock
  log: Logger
  /** Removes secrets from its answers. */
  redact: Redact
}

interface Answer {
  readonly status: number
  readonly type?: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The clients are monitors and people with curl, so requests are small, short and few at a time. */
const LIMITS = { maxHeaderSize: 8192, headersTimeout: 5000, requestTimeout: 5000, keepAliveTimeout: 5000 }
const MAX_CONNECTIONS = 64
/** The maximum number of stuck runs that are listed. */
const MOST_STUCK = 100

/**
 * Reports the health of the daemon: `/healthz`, `/readyz` and `/metrics`, for GET and HEAD. It needs no token: it shows
 * names of pipelines and counts, so it belongs on loopback or inside a private network. It answers only requests for a
 * known host, so that a page in a browser cannot read it under its own name. Rejects with `port-in-use`, or with
 * `address-unusable` if the address does not belong to this machine.
 */
export async function startHealthServer(options: HealthServerOptions) {
  const own = readHostPattern(urlHost(options.host))
  const listed = own ? [own, ...options.hosts] : options.hosts
  const server = createServer({ ...LIMITS, connectionsCheckingInterval: 1000 }, (request, response) => {
    const { localAddress } = request.socket
    if (!isKnownHost(request.headers.host, { listed, localAddress })) return send(request, response, MISDIRECTED)
    answer(request, options).then(
      (given) => send(request, response, { ...given, body: options.redact(given.body) }),
      (error: unknown) => {
        options.log.error({ err: error, path: request.url }, 'a request to the health server could not be answered')
        send(request, response, { status: 500, body: 'failed; the log says why\n' })
      },
    )
  })
  server.maxConnections = MAX_CONNECTIONS
  await listen(server, options)
  const { port } = server.address() as AddressInfo
  return {
    /** For example `http://127.0.0.1:4711`. */
    url: `http://${urlHost(options.host)}:${port}`,
    /** Closes it within a second, even with open connections. */
    close: () => closeServer(server, options.clock),
  }
}

/**
 * The answer to a page that must not read this server. It tells the page nothing about the server (RFC 9110 15.5.20).
 */
const MISDIRECTED: Answer = {
  status: 421,
  body: 'this Host is not known here; add it to `hosts` in audience.yaml\n',
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

async function answer({ method, url = '' }: IncomingMessage, options: HealthServerOptions): Promise<Answer> {
  const { health, metrics } = options
  const routes: Readonly<Record<string, () => Answer | Promise<Answer>>> = {
    '/healthz'() {
      const loops = health.stalled()
      const load = { ...health.load(), stuck: health.stuck().slice(0, MOST_STUCK) }
      return loops.length === 0
        ? json(200, { status: 'alive', ...load })
        : json(503, { status: 'stalled', loops, ...load })
    },
    async '/readyz'() {
      const missing = await notReady(health.checks)
      return missing.length === 0
        ? json(200, { status: 'ready' })
        : json(503, { status: 'notReady', notReady: missing })
    },
    '/metrics': async () => ({ status: 200, type: metrics.contentType, body: await metrics.text() }),
  }
  const path = url.split('?', 1)[0] ?? ''
  const route = Object.hasOwn(routes, path) ? routes[path] : undefined
  if (!route) return { status: 404, body: 'only /healthz, /readyz and /metrics exist here\n' }
  if (method !== 'GET' && method !== 'HEAD')
    return { status: 405, headers: { allow: 'GET, HEAD' }, body: 'only GET and HEAD are allowed\n' }
  return route()
}

function json(status: number, value: unknown): Answer {
  return { status, type: 'application/json', body: `${JSON.stringify(value)}\n` }
}

function send(request: IncomingMessage, response: ServerResponse, given: Answer): void {
  const { status, type = 'text/plain; charset=utf-8', body, headers } = given
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    ...headers,
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}

async function listen(server: Server, { host, port }: HealthServerOptions): Promise<void> {
  try {
    await once(server.listen(port, host), 'listening')
  } catch (error) {
    const isTaken = codeOf(error) === 'EADDRINUSE'
    throw new AudienceError({
      code: isTaken ? 'port-in-use' : 'address-unusable',
      kind: 'failed',
      message: isTaken
        ? `port ${port} of ${host} is in use by another program`
        : `the daemon cannot listen on ${host}:${port}: ${messageOf(error)}`,
      hint: isTaken
        ? 'choose another with --port, or 0 for any that is free'
        : 'choose an address of this machine with --host, and a port that you may use with --port',
      cause: error,
    })
  }
}
