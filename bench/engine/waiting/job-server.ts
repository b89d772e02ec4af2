import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A service whose segments take the given time. It records when a client first read that a job had ended. */
export interface JobServer {
  readonly url: string
  /** Requests since it started. */
  readonly requests: () => number
  readonly jobs: readonly Job[]
  /** How many jobs were read after their end. */
  readonly seen: () => number
  close(): void
}

export interface Job {
  readonly durationMs: number
  readonly endsAt: number
  /** When an answer said for the first time that it had ended. */
  seenAt: number | undefined
}

export async function startJobServer(durationMs: () => number): Promise<JobServer> {
  const jobs: Job[] = []
  let requests = 0
  let seen = 0
  const answerOf = (method: string, path: string): object => {
    const id = path.slice(path.lastIndexOf('/') + 1)
    if (method === 'POST') {
      const duration = durationMs()
      jobs.push({ durationMs: duration, endsAt: performance.now() + duration, seenAt: undefined })
      return { id: String(jobs.length), status: 'PENDING' }
    }
    if (path.includes('/api/jobs/')) {
      const job = jobs[Number(id) - 1]
      if (!job) throw new Error(`there is no job ${id}`)
      const now = performance.now()
      if (now < job.endsAt) return { id, status: 'RUNNING' }
      if (job.seenAt === undefined) seen += 1
      job.seenAt ??= now
      return { id, status: 'SUCCESS', segmentId: id }
    }
    if (path.endsWith('/api/segments')) return { segments: [], page: 0, pageSize: 100, hasMore: false }
    return { id, segmentName: 'Waiting' }
  }
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    requests += 1
    request.resume().once('end', () => {
      const path = (request.url ?? '').split('?', 1)[0] ?? ''
      response.writeHead(200, { 'content-type': 'application/vnd.service.v1+json' })
      response.end(JSON.stringify(answerOf(request.method ?? '', path)))
    })
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/p/1001`,
    requests: () => requests,
    jobs,
    seen: () => seen,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
