import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { Agent, request } from 'undici'
import { type Json, parseJson } from '../../../src/core/json.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { type RunningService, type ServiceOptions, startService } from '../../../src/service/start-service.ts'
import { createFakeEngine } from './fake-engine.ts'
import { testNetwork } from './test-network.ts'

export const VENDOR = 'application/vnd.service.v1+json'

export interface Sent {
  /** A JSON body; text and bytes are sent as they are. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** The participant that sends the request; 1001 if absent. */
  readonly as?: number
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape
  readonly body: any
}

interface Waiting {
  readonly as?: number
  readonly until?: readonly string[]
}

export interface TestService {
  readonly service: RunningService
  readonly dataDir: string
  readonly origin: string
  tokenOf(participant: number): Promise<string>
  /** `send('GET /api/jobs/1')`, with the vendor Accept and the caller's token. */
  send(target: string, sent?: Sent): Promise<Answer>
  /** `control('POST /clock/advance', { ms: 1 })`, with the control token. */
  control(target: string, body?: unknown): Promise<Answer>
  /** Uploads a text under a name as EMAIL and BGID, or as the query says. */
  upload(name: string, content: string, query?: string, as?: number): Promise<Answer>
  /** Sends a request that starts a job and reads the job until it has ended, or has one of the given statuses. */
  job(target: string, body: unknown, options?: Waiting): Promise<Answer['body']>
  /** The same for a job that was started before. */
  jobEnd(id: string, options?: Waiting): Promise<Answer['body']>
  /** Uploads, creates, and returns the segment's id. */
  segment(name: string, content: string, more?: Record<string, unknown>): Promise<string>
  /** Closes it and starts it again with the same data. */
  restart(): Promise<void>
  close(): Promise<void>
}

export async function startTestService(options: Partial<ServiceOptions> = {}): Promise<TestService> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'audience-service-')))
  const agent = new Agent({ keepAliveTimeout: 1000 })
  const start = () =>
    startService({
      network: testNetwork,
      clock: systemClock,
      engine: createFakeEngine(),
      log: pino({ level: 'silent' }),
      ...options,
      dataDir,
    })
  let service = await start()

  // A service keeps its tokens as long as its folder exists.
  const tokens = readFile(join(dataDir, 'tokens.json'), 'utf8').then((text) => JSON.parse(text))
  const tokenOf = async (participant: number) => (await tokens)[String(participant)]

  const call = async (
    url: string,
    method: string,
    headers: Record<string, string>,
    body?: unknown,
  ): Promise<Answer> => {
    const response = await request(url, {
      dispatcher: agent,
      method: method as 'GET',
      headers,
      ...(body !== undefined && { body: body as string }),
    })
    const text = await response.body.text()
    const isJson = text !== '' && String(response.headers['content-type']).includes('json')
    return { status: response.statusCode, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
  }

  const test: TestService = {
    get service() {
      return service
    },
    dataDir,
    get origin() {
      return new URL(service.url).origin
    },
    tokenOf,
    async send(target, { body, headers, as = 1001 } = {}) {
      const [method = '', path = ''] = target.split(' ')
      const isRaw = typeof body === 'string' || body instanceof Uint8Array
      const text = body === undefined || isRaw ? body : JSON.stringify(body)
      return call(
        `${test.origin}/p/${as}${path}`,
        method,
        {
          authorization: `Bearer ${await tokenOf(as)}`,
          accept: VENDOR,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        text,
      )
    },
    control(target, body) {
      const [method = '', path = ''] = target.split(' ')
      const headers = {
        authorization: `Bearer ${service.control.token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      }
      return call(`${service.control.url}${path}`, method, headers, body === undefined ? body : JSON.stringify(body))
    },
    upload(name, content, query = 'uploadSignal=EMAIL&resultContent=BGID', as = 1001) {
      return test.send(`POST /api/files?${query}`, { as, ...multipart([{ name: 'file', fileName: name, content }]) })
    },
    async job(target, body, { as = 1001, until = [] } = {}) {
      const started = await test.send(target, { body, as })
      if (started.status >= 300) throw new Error(`${target}: ${started.status} ${started.text}`)
      return test.jobEnd(started.body.id, { as, until })
    },
    async jobEnd(id, { as = 1001, until = [] } = {}) {
      const ended = ['SUCCESS', 'FAILED', 'PARTIAL_SUCCESS', 'CANCELLED', 'REJECTED', ...until]
      for (const end = Date.now() + 100_000; Date.now() < end; await sleep(5)) {
        const job = await test.send(`GET /api/jobs/${id}`, { as })
        if (ended.includes(job.body.status)) return job.body
      }
      throw new Error(`job ${id} does not end`)
    },
    async segment(name, content, more = {}) {
      const { uploadSignal = 'EMAIL', resultContent = 'BGID' } = more
      await test.upload(`${name}.csv`, content, `uploadSignal=${uploadSignal}&resultContent=${resultContent}`)
      const job = await test.job('POST /api/segments', { ...newSegment(name), ...more })
      return job.segmentId
    },
    async restart() {
      await service.close()
      service = await start()
    },
    async close() {
      await service.close()
      await agent.close()
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true })
    },
  }
  return test
}

/** A body that creates a segment from `name`.csv. */
export function newSegment(name: string): Record<string, unknown> {
  return {
    segmentFileName: `${name}.csv`,
    participantSegmentId: name,
    segmentName: `Segment ${name}`,
    uploadSignal: 'EMAIL',
    resultContent: 'BGID',
    providerId: 1001,
  }
}

/** Body and headers of a multipart form. */
export function multipart(parts: readonly { name: string; fileName?: string; content: string | Uint8Array }[]): {
  body: Uint8Array
  headers: Record<string, string>
} {
  const boundary = '----boundary'
  const chunks = parts.flatMap(({ name, fileName, content }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n${fileName === undefined ? '' : 'Content-Type: text/csv\r\n'}\r\n`,
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ])
  return {
    body: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  }
}

/** An answer's text with 64-bit numbers as bigint. */
export function exactly(answer: Answer): Json {
  return parseJson(answer.text)
}
