import { Worker } from 'node:worker_threads'
import type { ReadAnswer, ReadQuestion, ReadTask } from './read-worker.ts'
import type { RunReads } from './run-reads.ts'

/** Without questions for so long, the thread ends and its memory is free. */
const IDLE_MS = 30_000

/**
 * Reads the history of runs in a thread, because lists, charts and searches over many runs take milliseconds, and this
 * process has other work. The thread starts with the first question.
 */
export class ReadThread {
  readonly #task: ReadTask
  readonly #open = new Map<number, PromiseWithResolvers<unknown>>()
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #questions = 0

  constructor(task: ReadTask) {
    this.#task = task
  }

  async ask<Name extends keyof RunReads>(
    read: Name,
    ...args: Parameters<RunReads[Name]>
  ): Promise<ReturnType<RunReads[Name]>> {
    clearTimeout(this.#idle)
    this.#worker ??= this.#start()
    const worker = this.#worker
    const id = ++this.#questions
    const answer = Promise.withResolvers<unknown>()
    this.#open.set(id, answer)
    worker.ref()
    worker.postMessage({ id, read, args } satisfies ReadQuestion)
    try {
      return (await answer.promise) as ReturnType<RunReads[Name]>
    } finally {
      this.#open.delete(id)
      if (this.#open.size === 0) this.#rest()
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    await this.#worker?.terminate()
    this.#worker = undefined
  }

  #start(): Worker {
    // In dist/ it is a file of its own, beside main.js; the extension is that of this file.
    const isBundled = !import.meta.url.endsWith('/read-thread.ts')
    const url = new URL(isBundled ? '../read-worker.js' : './read-worker.ts', import.meta.url)
    const worker = new Worker(url, { workerData: this.#task, name: 'state reader' })
    worker.on('message', ({ id, ...answer }: ReadAnswer) => {
      const question = this.#open.get(id)
      if ('error' in answer) question?.reject(answer.error)
      else question?.resolve(answer.value)
    })
    // It cannot open the state, or it was ended: what was asked fails, and the next question starts another.
    const fail = (error: unknown) => {
      if (this.#worker === worker) this.#worker = undefined
      for (const { reject } of this.#open.values()) reject(error)
    }
    worker.on('error', fail)
    worker.on('exit', () => fail(new Error('the thread that reads the state ended')))
    return worker
  }

  #rest(): void {
    this.#worker?.unref()
    this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref()
  }
}
