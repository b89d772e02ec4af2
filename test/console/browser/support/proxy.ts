import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'
import type { ConsoleBench } from '../../support/console-bench.ts'

/** A path below which a console can be. */
export const BELOW_PATH = { config: '  basePath: /tools/audience/' }

/** The same console behind its own reverse proxy. Browsers reach it at `url`. */
export async function behindProxy(bench: ConsoleBench): Promise<ConsoleBench> {
  const { port, close } = await startProxy(bench.url)
  const url = `http://127.0.0.1:${port}${new URL(bench.url).pathname}`
  return {
    ...bench,
    url,
    async stop() {
      close()
      await bench.stop()
    },
  }
}

/** Forwards everything, with the host name that the client used. Resolves with its port and a function that ends it. */
async function startProxy(target: string): Promise<{ readonly port: number; close(): void }> {
  const server = createServer((asked, answer) => {
    const passed = request(
      new URL(asked.url ?? '', target),
      { method: asked.method, headers: asked.headers, agent: false },
      (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers)
        pipeline(response, answer, () => {})
      },
    )
    passed.on('error', () => {
      if (answer.headersSent) answer.destroy()
      else answer.writeHead(502).end()
    })
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
