import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

/** A proxy in front of PostgreSQL. */
export interface CuttingProxy {
  /** The URL of a database through this proxy. */
  through(url: string): string
  /** How often a connection was cut. */
  cuts(): number
  close(): Promise<void>
}

/**
 * For each of these texts: cuts the connection of the first statement that contains it, before the database sees the
 * statement.
 */
export async function cuttingProxy(target: string, texts: readonly string[]): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target)
  const left = new Set(texts)
  const server = createServer((incoming) => {
    const outgoing = connect(Number(port), hostname)
    const cut = () => {
      incoming.destroy()
      outgoing.destroy()
    }
    incoming.on('data', (chunk) => {
      const found = [...left].find((text) => chunk.includes(text))
      if (found === undefined) outgoing.write(chunk)
      else if (left.delete(found)) cut()
    })
    outgoing.on('data', (chunk) => incoming.write(chunk))
    for (const socket of [incoming, outgoing]) socket.on('error', cut).on('close', cut)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    through(url) {
      const own = new URL(url)
      own.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
      return own.href
    },
    cuts: () => texts.length - left.size,
    async close() {
      server.close()
      await once(server, 'close')
    },
  }
}
