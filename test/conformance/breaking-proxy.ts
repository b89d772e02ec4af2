import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { Agent } from 'undici'

interface Passing {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
export interface Returning {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** One way in which a service can be wrong. */
export interface Breakage {
  /** Completes "a service that …". */
  readonly name: string
  /** The decision that it breaks. */
  readonly decision: number
  readonly request?: (request: Passing) => Passing
  readonly response?: (response: Returning, request: Passing) => Returning
}

/** A proxy in front of the service that changes its answers. */
export async function startBreakingProxy(
  origin: string,
  { request: onRequest = (request) => request, response: onResponse = (response) => response }: Partial<Breakage>,
): Promise<{ origin: string; close(): Promise<void> }> {
  const agent = new Agent()
  const server = createServer(async (incoming, outgoing) => {
    try {
      const passing = onRequest({
        method: incoming.method ?? 'GET',
        path: incoming.url ?? '/',
        headers: plain(incoming.headers),
        body: (await buffer(incoming)).toString('latin1'),
      })
      const { method, path, headers, body } = passing
      const hasBody = headers['content-type'] !== undefined || body !== ''
      const answer = await agent.request({
        origin,
        path,
        method: method as 'GET',
        headers,
        ...(hasBody && { body: Buffer.from(body, 'latin1') }),
      })
      const text = await answer.body.text()
      const response = { status: answer.statusCode, headers: plain(answer.headers), body: text }
      const returning = onResponse(response, passing)
      outgoing.writeHead(returning.status, returning.headers).end(returning.body)
    } catch {
      incoming.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await agent.close()
    },
  }
}

const PER_HOP = new Set(['connection', 'content-length', 'host', 'keep-alive', 'transfer-encoding'])

function plain(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (PER_HOP.has(name) ? [] : [[name, String(value)]])),
  )
}
