import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

/** What the proxy does with a request: forwards it, answers it with a status, or never answers. */
export type ProxyRule = 'pass' | number | 'silent'

export interface ForwardProxy extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** The requests, in order: `CONNECT host:port`, or the method and the whole URL. */
  readonly asked: readonly string[]
  /** The `proxy-authorization` header of each request. */
  readonly credentials: readonly (string | undefined)[]
}

/** A usual proxy: a tunnel for CONNECT, and forwarding for plain HTTP. It resolves every host name to this machine. */
export async function forwardProxy(rule: () => ProxyRule = () => 'pass'): Promise<ForwardProxy> {
  const asked: string[] = []
  const credentials: (string | undefined)[] = []
  const sockets = new Set<Socket>()
  const note = ({ method, url, headers }: IncomingMessage) => {
    asked.push(`${method} ${url}`)
    credentials.push(headers['proxy-authorization'])
    return rule()
  }
  const server = createServer((incoming, outgoing) => {
    const what = note(incoming)
    if (what === 'silent') return
    if (what !== 'pass') return void outgoing.writeHead(what).end('by the proxy')
    const { port, pathname, search } = new URL(incoming.url ?? '')
    const { method, headers } = incoming
    const upstream = request({ host: '127.0.0.1', port, method, path: pathname + search, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 0, response.headers)
      response.pipe(outgoing)
    })
    upstream.on('error', () => outgoing.destroy())
    incoming.pipe(upstream)
  })
  server.on('connection', (socket) => sockets.add(socket))
  server.on('connect', (incoming: IncomingMessage, socket: Socket) => {
    const what = note(incoming)
    socket.on('error', () => undefined)
    if (what === 'silent') return
    if (what !== 'pass') return void socket.end(`HTTP/1.1 ${what} No\r\nContent-Length: 0\r\n\r\n`)
    const target = connect(Number(incoming.url?.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      target.pipe(socket).pipe(target)
    })
    sockets.add(target)
    target.on('error', () => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    ...{ port, asked, credentials },
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
