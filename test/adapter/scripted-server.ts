import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { bodyOf } from '../support/body-of.ts'

export interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** What the server does with one request. */
export type Reply =
  | { status?: number; headers?: Record<string, string>; json?: unknown; body?: string | Buffer }
  /** Closes the connection after the whole request was read, so it may have been applied. */
  | 'reset'
  | ((request: IncomingMessage, response: ServerResponse) => void)

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string
  readonly origin: string
  /** Every request that was read to its end, in order. */
  readonly seen: Seen[]
}

/**
 * A server that answers the nth request with the nth reply, and all later ones with the last; or with the result of a
 * function.
 */
export async function scriptedServer(script: readonly Reply[] | ((seen: Seen) => Reply)): Promise<ScriptedServer> {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    const index = arrived++
    const early = typeof script === 'function' ? undefined : script[Math.min(index, script.length - 1)]
    if (typeof early === 'function') return early(request, response)
    const body = await bodyOf(request)
    if (!body) return
    const entry = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: body.toString(),
    }
    seen.push(entry)
    const reply = typeof script === 'function' ? script(entry) : (early as Reply)
    if (reply === 'reset') request.socket.resetAndDestroy()
    else if (typeof reply === 'function') reply(request, response)
    else {
      const { status = 200, headers = {}, json, body = json === undefined ? '' : JSON.stringify(json) } = reply
      const type = json === undefined ? {} : { 'content-type': 'application/vnd.service.v1+json' }
      response.writeHead(status, { ...type, ...headers }).end(body)
    }
  })
  let arrived = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${origin}/p/1001`,
    origin,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A server below HTTP: the test handles each connection and its data. */
export async function rawServer(
  onConnection: (socket: Socket) => void,
): Promise<{ url: string; connections: number } & AsyncDisposable> {
  const sockets = new Set<Socket>()
  const result = {
    url: '',
    connections: 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    result.connections += 1
    socket.on('error', () => {})
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  result.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return result
}
