import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { bodyOf } from './body-of.ts'

/**
 * What happens to a request: it is lost before or after the service gets it, answered late, or done but answered with
 * 500.
 */
export type Fault = 'resetBefore' | 'resetAfter' | 'errorBefore' | 'errorAfter' | 'delay'

export interface Passed {
  readonly method: string
  /** The path below the participant's prefix, with the query. */
  readonly path: string
  readonly body: string
  /** The status that the service answered, even if the client got another one. */
  readonly status: number
}

export interface LosingProxy {
  readonly url: string
  /** Every request that reached the service, in order. */
  readonly passed: readonly Passed[]
  /** The fault happens to the next `times` matching requests, until the returned function is called. */
  lose(fault: Fault, fits: (request: Omit<Passed, 'status'>) => boolean, times?: number): () => void
  close(): Promise<void>
}

const DELAY_MS = 60

/** A proxy in front of a participant's base URL that loses requests and answers on demand. */
export async function losingProxy(target: string): Promise<LosingProxy> {
  const { origin, pathname: prefix } = new URL(target)
  const agent = new Agent({ keepAlive: true })
  const passed: Passed[] = []
  const rules: { fault: Fault; fits: (request: Omit<Passed, 'status'>) => boolean; times: number }[] = []

  const server = createServer(async (incoming, outgoing) => {
    const body = await bodyOf(incoming)
    if (!body) return
    const path = (incoming.url ?? '').slice(prefix.length)
    const asked = { method: incoming.method ?? '', path, body: body.toString() }
    const rule = rules.find(({ fits, times }) => times > 0 && fits(asked))
    if (rule) rule.times -= 1
    if (rule?.fault === 'resetBefore') return incoming.socket.resetAndDestroy()
    if (rule?.fault === 'errorBefore') return answer(outgoing, 500, 'no')
    const reply = await forward({ origin, agent }, incoming, body).catch(() => undefined)
    // The service is not running.
    if (!reply) return incoming.socket.destroy()
    passed.push({ ...asked, status: reply.status })
    if (rule?.fault === 'resetAfter') return incoming.socket.resetAndDestroy()
    if (rule?.fault === 'errorAfter') return answer(outgoing, 500, 'no')
    if (rule?.fault === 'delay') await sleep(DELAY_MS)
    outgoing.writeHead(reply.status, { 'content-type': reply.type }).end(reply.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    passed,
    lose(fault, fits, times = 1) {
      const rule = { fault, fits, times }
      rules.push(rule)
      return () => {
        rule.times = 0
      }
    },
    async close() {
      server.closeAllConnections()
      server.close()
      agent.destroy()
      await once(server, 'close')
    },
  }
}

function answer(outgoing: ServerResponse, status: number, text: string): void {
  outgoing.writeHead(status, { 'content-type': 'text/plain' }).end(text)
}

async function forward({ origin, agent }: { origin: string; agent: Agent }, incoming: IncomingMessage, body: Buffer) {
  const { hostname, port } = new URL(origin)
  const { connection: _connection, 'transfer-encoding': _encoding, ...headers } = incoming.headers
  const upstream = request({
    hostname,
    port,
    method: incoming.method,
    path: incoming.url,
    agent,
    headers: { ...headers, 'content-length': body.length },
  })
  upstream.end(body)
  const [response] = (await once(upstream, 'response')) as [IncomingMessage]
  const text = await buffer(response)
  return { status: response.statusCode ?? 0, type: response.headers['content-type'] ?? 'text/plain', body: text }
}
