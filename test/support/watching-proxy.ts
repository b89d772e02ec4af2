import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { bodyOf } from './body-of.ts'

/** The phase of a request: not yet at the service, done there but not answered, or answered. */
export type Phase = 'before' | 'between' | 'after'

/** A proxy in front of a base URL that reports each phase of every request, and waits for the listener. */
export async function watchingProxy(
  target: string,
  watch: (request: string, phase: Phase) => void | Promise<void>,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const { hostname, port, pathname: prefix } = new URL(target)
  const server = createServer(async (incoming, outgoing) => {
    const asked = `${incoming.method} ${(incoming.url ?? '').slice(prefix.length).split('?')[0]}`
    const body = await bodyOf(incoming)
    if (!body) return
    await watch(asked, 'before')
    if (incoming.socket.destroyed) return
    const upstream = request({ hostname, port, method: incoming.method, path: incoming.url, headers: incoming.headers })
    upstream.on('error', () => incoming.socket.destroy())
    upstream.end(body)
    const [response] = (await once(upstream, 'response')) as [IncomingMessage]
    const answer = await buffer(response)
    await watch(asked, 'between')
    if (incoming.socket.destroyed) return
    outgoing.writeHead(response.statusCode ?? 500, response.headers).end(answer, () => void watch(asked, 'after'))
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
