import { createServer, type Server } from 'node:http'
import { answerParent } from '../support/child.ts'

/** The smallest possible server: the same answer to every request, so that only the client is measured. */
let server: Server | undefined

answerParent(
  {
    async start({ type, body }: { type: string; body: string }): Promise<string> {
      const headers = { 'content-type': type, 'content-length': Buffer.byteLength(body) }
      server = createServer((request, response) => {
        request.resume()
        request.on('end', () => response.writeHead(200, headers).end(body))
      })
      await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
      const address = server.address()
      if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port')
      return `http://127.0.0.1:${address.port}`
    },
  },
  () => {
    server?.closeAllConnections()
    server?.close()
  },
)
