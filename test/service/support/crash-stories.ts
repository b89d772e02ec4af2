import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Address } from './killable-service.ts'
import { newSegment, VENDOR } from './start-test-service.ts'

/** A file, and the expected result. */
export interface Variant {
  readonly name: string
  readonly csv: string
  readonly members: number
  readonly matched: number
}

export interface CrashStories {
  /** Continues with a service that has just started. */
  resume(address: Address): void
  /** Stories that wait for an answer now wait for the next service. */
  pause(): void
  /** Resolves when this many more uploads and jobs have succeeded, or when a story has failed. */
  progress(steps: number): Promise<void>
  /** Checks that every accepted job exists, and every file whose upload was answered. */
  checkAccepted(address: Address): Promise<void>
  /** Ends all stories at the same time. */
  stop(): Promise<void>
  /** The number of completed stories. */
  finished(): number
  /** The number of stories that ended at a write with an unknown outcome. */
  brokenOff(): number
}

/** A write without an answer. */
class OutcomeUnknown extends Error {}
class Stopped extends Error {}

const TELLERS = 4

/**
 * Several clients that each repeat the same story: upload, segment, match, refresh of both with another file, test and
 * control. Reads continue with the next service; a write without an answer ends the story.
 */
export function createCrashStories(variants: readonly Variant[], random: () => number): CrashStories {
  const accepted = { jobs: new Set<string>(), files: new Set<string>() }
  const counts = { finished: 0, brokenOff: 0, begun: 0, steps: 0 }
  let service = Promise.withResolvers<Address>()
  let stopped = false

  const send = async (method: string, path: string, body?: string | ReadableStream, type?: string): Promise<Answer> => {
    for (;;) {
      const { url, token } = await service.promise
      if (stopped) throw new Stopped()
      try {
        const response = await fetch(`${url}${path}`, {
          method,
          headers: {
            authorization: `Bearer ${token}`,
            accept: VENDOR,
            ...(type !== undefined && { 'content-type': type }),
          },
          ...(body !== undefined && { body, duplex: 'half' }),
        } as RequestInit)
        const answer = await response.json()
        return { status: response.status, body: answer }
      } catch (error) {
        if (!(error instanceof TypeError)) throw error
        if (method !== 'GET') throw new OutcomeUnknown()
        await sleep(10)
      }
    }
  }

  const succeed = async (path: string, body: object, method = 'POST'): Promise<Answer['body']> => {
    const started = await send(method, path, JSON.stringify(body), 'application/json')
    expect([started.status, started.body], path).toEqual([expect.toSatisfy(isSuccess), expect.anything()])
    const { id } = started.body
    accepted.jobs.add(id)
    for (;;) {
      const job = (await send('GET', `/api/jobs/${id}`)).body
      if (job.status === 'SUCCESS') {
        counts.steps++
        return job
      }
      expect(['PENDING', 'PENDING_APPROVAL', 'READY', 'RUNNING']).toContain(job.status)
      await sleep(15)
    }
  }

  const upload = async (name: string, { csv }: Variant) => {
    const form = formOf(name, csv, random() < 0.5)
    const { status } = await send('POST', `/api/files?${BUCKET}`, form, 'multipart/form-data; boundary=story')
    expect(status).toBe(200)
    accepted.files.add(name)
    counts.steps++
  }

  const tell = async () => {
    const number = ++counts.begun
    const [first, second] = [pick(variants, random), pick(variants, random)]
    const [file, other] = [`${first.name}-${number}.csv`, `${second.name}-${number}-again.csv`]
    await upload(file, first)
    const { segmentId } = await succeed('/api/segments', { ...newSegment(`s${number}`), segmentFileName: file })
    const scope = { segmentId, partnerId: 2001, deliveryScopes: ['CABLE'] }
    const { matchId } = await succeed('/api/segments/match', scope)
    const match = async () => (await send('GET', `/api/segments/match/${matchId}`)).body
    expect(await match()).toMatchObject({ status: 'FINISHED', matchCount: first.matched })
    await upload(other, second)
    await succeed(`/api/segments/${segmentId}/refresh`, { segmentFileName: other }, 'PUT')
    await succeed(`/api/segments/match/refresh/${matchId}`, {})
    expect(await match()).toMatchObject({ status: 'FINISHED', matchCount: second.matched })
    await succeed(`/api/segments/match/test-control/${matchId}`, { controlHoldoutPercent: 10 })
    expect(await match()).toMatchObject({ status: 'FINISHED', matchCount: second.matched })
    counts.finished++
  }

  const tellers = Array.from({ length: TELLERS }, async () => {
    while (!stopped) {
      await tell().catch((error: unknown) => {
        if (error instanceof OutcomeUnknown) counts.brokenOff++
        else if (!(error instanceof Stopped)) throw error
      })
    }
  })
  const told = Promise.all(tellers)
  let failed = false
  // The reason is checked at the end.
  told.catch(() => {
    failed = true
  })

  return {
    resume: (address) => service.resolve(address),
    pause() {
      service = Promise.withResolvers<Address>()
    },
    async progress(steps) {
      const target = counts.steps + steps
      while (counts.steps < target && !failed) await sleep(5)
    },
    async checkAccepted({ url, token }) {
      const headers = { authorization: `Bearer ${token}`, accept: VENDOR }
      const isThere = async (id: string) =>
        expect((await fetch(`${url}/api/jobs/${id}`, { headers })).status, id).toBe(200)
      const ids = [...accepted.jobs]
      while (ids.length > 0) await Promise.all(ids.splice(0, 50).map(isThere))
      const listed = new Set<string>()
      for (let page = 0, more = true; more; page++) {
        const answer = await fetch(`${url}/api/files?${BUCKET}&page=${page}&pageSize=100`, { headers })
        const { files, hasMore } = (await answer.json()) as { files: { name: string }[]; hasMore: boolean }
        for (const { name } of files) listed.add(name)
        more = hasMore
      }
      for (const name of accepted.files) expect(listed.has(name), name).toBe(true)
    },
    async stop() {
      stopped = true
      service.resolve({ url: '', token: '', control: { url: '', token: '' } })
      await told
    },
    finished: () => counts.finished,
    brokenOff: () => counts.brokenOff,
  }
}

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape
  readonly body: any
}

const BUCKET = 'uploadSignal=EMAIL&resultContent=BGID'

function isSuccess(status: number): boolean {
  return status === 200 || status === 202
}

function pick<T>(from: readonly T[], random: () => number): T {
  return from[Math.floor(random() * from.length)] as T
}

/** Sends a form in one piece, or in several pieces over some time, so that a kill can hit the middle of it. */
function formOf(name: string, csv: string, slowly: boolean): string | ReadableStream {
  const text = `--story\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: text/csv\r\n\r\n${csv}\r\n--story--\r\n`
  if (!slowly) return text
  const pieces = Math.ceil(text.length / 8)
  return new ReadableStream({
    async start(controller) {
      for (let at = 0; at < text.length; at += pieces) {
        controller.enqueue(Buffer.from(text.slice(at, at + pieces)))
        await sleep(10)
      }
      controller.close()
    },
  })
}
