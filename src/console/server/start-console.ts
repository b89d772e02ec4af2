import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { codeOf } from '../../core/code-of.ts'
import { AudienceError } from '../../core/errors.ts'
import { formatSizeLimit } from '../../core/format/figures.ts'
import { type HostPattern, readHostPattern } from '../../core/host-pattern.ts'
import { messageOf } from '../../core/message-of.ts'
import { isKnownHost } from '../../daemon/health/known-host.ts'
import { closeServer } from '../../platform/close-server.ts'
import { readTokens } from './api-tokens.ts'
import type { ConsoleDeps } from './console-deps.ts'
import type { ConsoleRequests } from './console-requests.ts'

/** An `import` of node:http would also load Node's fetch, which adds 30 ms to every start. */
const { createServer } = process.getBuiltinModule('node:http')

export interface Console {
  /** The address that people use, with the path. */
  readonly url: string
  /** Closes the console within a second, even if streams are open. */
  close(): Promise<void>
}

/** Uploads take time, but all other requests are small. A stream is a response that does not end. */
const LIMITS = { maxHeaderSize: 16_384, headersTimeout: 10_000, requestTimeout: 600_000, keepAliveTimeout: 10_000 }
const MAX_CONNECTIONS = 256
const DEFAULT_PORT = 9471

/**
 * Starts the listener of the console. The code that answers is loaded with the first request, so that a console that
 * nobody opens needs little memory. If the requested port is in use, rejects with `port-in-use`. If no port is
 * requested and the usual port is in use, takes a free one. Rejects with `no-console-token` if a token cannot be read.
 */
export async function startConsole(
  deps: Pick<ConsoleDeps, 'settings' | 'log' | 'clock'> & {
    /** Loads the part that answers requests, with the tokens of programs. */
    load: (tokens: ReturnType<typeof readTokens>) => Promise<ConsoleRequests>
    secrets: { add(value: string): void }
    /** The environment variables with the tokens of programs. */
    tokenEnv: Readonly<Record<string, string | undefined>>
  },
): Promise<Console> {
  const { settings, log, tokenEnv } = deps
  const { host, port, basePath, publicUrl } = settings.console
  const tokens = readTokens(settings.console.tokens, tokenEnv)
  for (const { token } of tokens) deps.secrets.add(token)
  const hosts = [...settings.hosts, ...hostsOf(host, publicUrl)]
  let requests: Promise<ConsoleRequests> | undefined
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value)
    if (!isKnownHost(request.headers.host, { listed: hosts, localAddress: request.socket.localAddress }))
      return misdirected(response)
    requests ??= deps.load(tokens).catch((error: unknown) => {
      // The next request tries to load it again.
      requests = undefined
      throw error
    })
    await (await requests).answer(request, response)
  }
  const server = createServer(LIMITS, (request, response) => {
    handle(request, response).catch((error: unknown) => {
      log.error({ err: error, path: pathOf(request) }, 'a request to the console could not be answered')
      response.destroy()
    })
  })
  server.maxConnections = MAX_CONNECTIONS
  server.on('clientError', refuseUnreadable)
  await listenSomewhere(server, host, port, log)
  const { port: taken } = server.address() as AddressInfo
  const own = `http://${urlHost(host)}:${taken}${basePath}`
  log.info({ address: own }, 'the console listens')
  return {
    url: publicUrl === undefined ? own : new URL(publicUrl).href,
    async close() {
      const loaded = await requests?.catch(() => undefined)
      loaded?.close()
      await closeServer(server, deps.clock)
    },
  }
}

/**
 * Answers anything that cannot be read as a request. Another server on this host can give a browser so many cookies
 * that its requests become too large. In that case, only the person at the browser can do something about it.
 */
function refuseUnreadable(error: Error, socket: Duplex): void {
  if (!socket.writable || codeOf(error) === 'ECONNRESET') return void socket.destroy()
  const isTooLarge = codeOf(error) === 'HPE_HEADER_OVERFLOW'
  const status = isTooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request'
  const text = isTooLarge
    ? `the headers of this request have more than ${formatSizeLimit(LIMITS.maxHeaderSize)}\nIn a browser: remove the cookies of this host; another server on it may have set them.\n`
    : 'this is not an HTTP request\n'
  const headers = ['content-type: text/plain; charset=utf-8', `content-length: ${Buffer.byteLength(text)}`]
  socket.end(`HTTP/1.1 ${status}\r\n${headers.join('\r\n')}\r\nconnection: close\r\n\r\n${text}`)
}

/** The path without the query, because the query could contain the token of a link. */
function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? ''
}

function hostsOf(host: string, publicUrl: string | undefined): HostPattern[] {
  const names = [urlHost(host), ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])]
  return names.flatMap((name) => readHostPattern(name) ?? [])
}

/**
 * Refuses a request for an unknown host (RFC 9110 15.5.20). The response reveals nothing about this server, because a
 * page on another site may read it.
 */
function misdirected(response: ServerResponse): void {
  response.writeHead(421, { 'content-type': 'text/plain; charset=utf-8' })
  response.end('this host is not known here; add it to `hosts` in audience.yaml, or set `console.publicUrl` there\n')
}

/** The host for a URL. If the server listens on all addresses, people reach it at this machine's loopback address. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

async function listenSomewhere(
  server: Server,
  host: string,
  port: number | undefined,
  log: Pick<ConsoleDeps['log'], 'warn'>,
): Promise<void> {
  try {
    await once(server.listen(port ?? DEFAULT_PORT, host), 'listening')
  } catch (error) {
    if (port !== undefined || codeOf(error) !== 'EADDRINUSE') throw notListening(error, host, port ?? DEFAULT_PORT)
    log.warn(
      { port: DEFAULT_PORT },
      'the usual port of the console is in use by another program; the console uses a free port',
    )
    await once(server.listen(0, host), 'listening')
  }
}

function notListening(error: unknown, host: string, port: number): AudienceError {
  const isTaken = codeOf(error) === 'EADDRINUSE'
  return new AudienceError({
    code: isTaken ? 'port-in-use' : 'address-unusable',
    kind: 'failed',
    message: isTaken
      ? `port ${port} of ${host}, for the console, is in use by another program`
      : `the console cannot listen on ${host}:${port}: ${messageOf(error)}`,
    hint: isTaken
      ? 'choose another port with --console-port (0 means any free port), or start without the console: --no-console'
      : 'choose an address of this machine with `console.host` in audience.yaml',
    cause: error,
  })
}

/**
 * The headers of every response. They forbid everything from other servers, inline code, frames, and turning text into
 * markup.
 */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}
