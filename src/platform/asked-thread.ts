import { parentPort, type Worker } from 'node:worker_threads'
import { AudienceError, type ErrorDetails } from '../core/errors.ts'

/** The questions that a thread answers, as functions by name. */
type Answers = Readonly<Record<string, (...args: never[]) => unknown>>

interface Question {
  readonly id: number
  readonly name: string
  readonly args: readonly unknown[]
}

/** An error loses its class on the way between threads, so an error that is meant for people is sent as its details. */
type Reply = { readonly id: number } & (
  | { readonly value: unknown }
  | { readonly error: unknown }
  | { readonly forPeople: ErrorDetails }
)

interface Open extends PromiseWithResolvers<unknown> {
  readonly worker: Worker
}

/** If no question arrives for this long, the thread ends and its memory is freed. */
const IDLE_MS = 30_000

/** A thread that answers questions, in the order in which the answers are ready. It starts on the first question. */
export class AskedThread<Asked extends Answers> {
  readonly #begin: () => Worker
  readonly #open = new Map<number, Open>()
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #questions = 0
  #isClosed = false
  readonly #idleMs: number

  constructor(begin: () => Worker, idleMs = IDLE_MS) {
    this.#begin = begin
    this.#idleMs = idleMs
  }

  async ask<Name extends keyof Asked & string>(
    name: Name,
    ...args: Parameters<Asked[Name]>
  ): Promise<Awaited<ReturnType<Asked[Name]>>> {
    if (this.#isClosed) throw new Error('the thread that reads the state is closed')
    clearTimeout(this.#idle)
    this.#worker ??= this.#start()
    const worker = this.#worker
    const id = ++this.#questions
    const answer = Promise.withResolvers<unknown>()
    this.#open.set(id, { worker, ...answer })
    worker.ref()
    worker.postMessage({ id, name, args } satisfies Question)
    try {
      return (await answer.promise) as Awaited<ReturnType<Asked[Name]>>
    } finally {
      this.#open.delete(id)
      if (this.#open.size === 0) this.#rest()
    }
  }

  /** Ends it for good: open and later questions fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#end()
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle)
    const worker = this.#worker
    // A question that arrives while the thread is ending starts another thread.
    this.#worker = undefined
    await worker?.terminate()
  }

  #start(): Worker {
    const worker = this.#begin()
    worker.on('message', ({ id, ...reply }: Reply) => {
      const question = this.#open.get(id)
      if ('value' in reply) question?.resolve(reply.value)
      else question?.reject('error' in reply ? reply.error : new AudienceError(reply.forPeople))
    })
    // The thread could not begin, or it was ended. Open questions fail, and the next question starts another thread.
    const fail = (error: unknown) => {
      if (this.#worker === worker) this.#worker = undefined
      for (const question of this.#open.values()) if (question.worker === worker) question.reject(error)
    }
    worker.on('error', fail)
    worker.on('exit', () => fail(new Error('the thread that reads the state ended')))
    return worker
  }

  #rest(): void {
    this.#worker?.unref()
    this.#idle = setTimeout(() => void this.#end(), this.#idleMs).unref()
  }
}

/** Answers the questions, inside the thread. */
export function answerAsked(answers: Answers): void {
  parentPort?.on('message', ({ id, name, args }: Question) => {
    const work = answers[name] as (...args: readonly unknown[]) => unknown
    void replyWith(id, () => work(...args)).then((reply) => parentPort?.postMessage(reply))
  })
}

async function replyWith(id: number, work: () => unknown): Promise<Reply> {
  try {
    return { id, value: await work() }
  } catch (error) {
    if (!(error instanceof AudienceError)) return { id, error }
    const { code, kind, message, hint } = error
    return { id, forPeople: { code, kind, message, hint } }
  }
}
