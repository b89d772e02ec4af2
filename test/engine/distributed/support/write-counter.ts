import { createServer } from 'node:http'

/** A service that counts the writes of each step of each run, and can hold back answers. */
export async function startWriteCounter() {
  const writes = new Map<string, number>()
  const held = new Map<string, PromiseWithResolvers<void>>()
  const server = createServer((request, response) => {
    const place = request.url?.slice(1) ?? ''
    if (request.method === 'GET') {
      response.end(JSON.stringify(writes.has(place)))
      return
    }
    writes.set(place, 1 + (writes.get(place) ?? 0))
    void Promise.resolve(held.get(place)?.promise).then(() => response.end('done'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('a server has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    /** How often each step wrote, by `run/step`. */
    writes,
    /** Holds back the answers to a step until the returned function is called. */
    hold(place: string): () => void {
      const answer = Promise.withResolvers<void>()
      held.set(place, answer)
      return answer.resolve
    },
    async close() {
      for (const { resolve } of held.values()) resolve()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
