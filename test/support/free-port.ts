import { createServer } from 'node:net'

/** Below the ports that systems give to programs that ask for any port. */
const PORTS = { from: 12_000, count: 18_000 }

/** A port that is free now. While nobody listens on it, no outgoing connection gets it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.from + Math.floor(Math.random() * PORTS.count)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
