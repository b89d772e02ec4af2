import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A monitor on this machine. It ends with the test. */
export interface PingReceiver {
  readonly origin: string
  /** The received pings: paths with queries, in the order of arrival. */
  readonly pings: string[]
  /** How it answers from now on. `hang` keeps requests open. */
  answer(status: number | 'hang'): void
}

export async function pingReceiver(): Promise<PingReceiver> {
  const pings: string[] = []
  let status: number | 'hang' = 200
  const server = createServer((request, response: ServerResponse) => {
    pings.push(request.url ?? '')
    request.resume()
    if (status !== 'hang') response.writeHead(status).end(status === 200 ? 'OK' : `no: ${request.url}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pings,
    answer(next) {
      status = next
    },
  }
}
