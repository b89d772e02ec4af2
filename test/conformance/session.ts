import { setTimeout as sleep } from 'node:timers/promises'
import { NotApplicable } from './conformance-case.ts'
import { controlled, createCreatedThings } from './created-things.ts'
import { Deviation } from './expect.ts'
import { type Answer, createHttpClient, type Sending } from './http-client.ts'
import { isTerminal } from './job-status.ts'
import type { SuiteOptions } from './suite-options.ts'
import { createThings, type Things } from './things.ts'

/** A job that has ended, and every status that it was seen in, in order. */
interface EndedJob {
  readonly answer: Answer
  readonly statuses: readonly string[]
}

export interface Client {
  readonly options: SuiteOptions
  send(target: string, sending?: Sending): Promise<Answer>
  /** A unique name. */
  unique(prefix: string): string
  /** Waits until the job of an answer has ended; `look` gets the first answer and every later one. */
  ended(answer: Answer, look?: (job: Answer) => Promise<void>): Promise<EndedJob>
  /** Waits until the job of an answer has ended, or is clearly waiting for a person's approval. */
  endedOrWaiting(answer: Answer): Promise<EndedJob>
  /** The job of an answer, after it ended with SUCCESS. Any other end is a deviation. */
  succeed(answer: Answer): Promise<Answer['body']>
  control(target: string): Promise<Answer>
}

/** One run of the suite against one service: requests, the things that cases share, and their removal. */
export interface Session extends Client, Things {
  /** Deletes what the run created; returns what could not be deleted. */
  close(): Promise<readonly string[]>
}

const FIRST_POLL_MS = 25
const LAST_POLL_MS = 2000

export function createSession(options: SuiteOptions): Session {
  const http = createHttpClient(options)
  const created = createCreatedThings(http, options)
  const run = `${Date.now().toString(36)}-${Math.floor(Math.random() * 46_656).toString(36)}`
  let names = 0

  /** Polls until the job has ended, or until `isEnough` accepts the time that it has been waiting for an approval. */
  async function poll(
    started: Answer,
    isEnough: (waitedMs: number) => boolean,
    look: (job: Answer) => Promise<void> = async () => {},
  ): Promise<EndedJob> {
    const id = jobIdOf(started)
    const statuses = [String(started.body.status)]
    const begun = Date.now()
    let changed = begun
    await look(started)
    for (let delay = FIRST_POLL_MS; ; delay = Math.min(delay * 1.3, LAST_POLL_MS)) {
      const answer = await client.send(`GET /api/jobs/${id}`)
      if (answer.status !== 200) throw deviation(answer, 'to be answered 200')
      await look(answer)
      const status = String(answer.body.status)
      const now = Date.now()
      if (statuses.at(-1) !== status) {
        statuses.push(status)
        changed = now
      }
      if (isTerminal(status)) return { answer, statuses }
      if (status === 'PENDING_APPROVAL' && isEnough(now - changed)) return { answer, statuses }
      if (now - begun > options.jobTimeoutMs) throw deviation(answer, `to end within ${options.jobTimeoutMs} ms`)
      await sleep(delay)
    }
  }

  const client: Client = {
    options,
    async send(target, sending = {}) {
      const answer = await http.send(target, sending)
      created.note(answer, sending.as ?? 'caller')
      return answer
    },
    unique(prefix) {
      names += 1
      return `${prefix}-${run}-${names}`
    },
    ended: (started, look) => poll(started, () => false, look),
    endedOrWaiting: (started) => poll(started, (waitedMs) => waitedMs > options.approvalPatienceMs),
    async succeed(started) {
      if (started.status >= 300) throw deviation(started, 'to start a job')
      const { answer } = await client.endedOrWaiting(started)
      if (answer.body.status === 'PENDING_APPROVAL') {
        throw new NotApplicable(`the job of ${started.request} waits for an approval; name another --partner`)
      }
      if (answer.body.status !== 'SUCCESS') throw deviation(answer, `of ${started.request} to end with SUCCESS`)
      return answer.body
    },
    async control(target) {
      const { control } = options
      if (control === undefined) throw new Error('the case does not say that it needs the control API')
      return http.send(target, controlled(control))
    },
  }
  return {
    ...client,
    ...createThings(client),
    async close() {
      const left = await created.remove()
      await http.close()
      return left
    },
  }
}

function jobIdOf(started: Answer): string {
  if (started.status >= 300 || typeof started.body.id !== 'string') throw deviation(started, 'to answer with a job')
  return started.body.id
}

function deviation({ request, status, text }: Answer, fact: string): Deviation {
  return new Deviation(`expected ${request} ${fact}, got ${status} ${text.slice(0, 300)}`)
}
