import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A reverse proxy that passes everything on, with the name that it is reached by. Resolves with its port and its end. */
export async function startProxy(target: string): Promise<{ readonly port: number; close(): void }> {
  const server = createServer((asked, answer) => {
    const passed = request(
      new URL(asked.url ?? '', target),
      { method: asked.method, headers: asked.headers, agent: false },
      (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(answer)
      },
    )
    passed.on('error', () => answer.destroy())
    answer.on('close', () => passed.destroy())
    asked.pipe(passed)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
