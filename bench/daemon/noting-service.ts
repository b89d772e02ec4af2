import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A service that answers immediately and records the time of each request. */
export interface NotingService {
  readonly url: string
  /** The arrival times of requests, by subject, in milliseconds since 1970 with fractions. */
  readonly arrivals: ReadonlyMap<string, readonly number[]>
  close(): void
}

/**
 * The subject of a segment list request is its participantSegmentId; the subject of an upload is the name of its file.
 */
export async function startNotingService(): Promise<NotingService> {
  const arrivals = new Map<string, number[]>()
  const note = (about: string, at: number) => {
    const known = arrivals.get(about)
    if (known) known.push(at)
    else arrivals.set(about, [at])
  }
  const server = createServer((request, response) => {
    const at = performance.timeOrigin + performance.now()
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://service')
    const about = searchParams.get('participantSegmentId')
    if (about !== null) note(about, at)
    if (request.method !== 'POST' || !pathname.endsWith('/api/files')) {
      request.resume()
      return answer(response, pathname.endsWith('/api/groups') ? { group: [] } : EMPTY)
    }
    void nameIn(request).then((name) => {
      note(name, at)
      answer(response, { name })
    })
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/p/1001`,
    arrivals,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const EMPTY = { segments: [], page: 0, pageSize: 100, hasMore: false }

async function nameIn(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  // The runner sends files under names that contain their hash.
  const [, stem, ending] = /filename="([^"]+)-[0-9a-f]{16}(\.csv)"/.exec(text) ?? []
  if (stem === undefined) throw new Error(`an upload of no such name: ${text.slice(0, 200)}`)
  return `${stem}${ending}`
}

function answer(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/vnd.service.v1+json' })
  response.end(JSON.stringify(body))
}
