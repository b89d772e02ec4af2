import { fork } from 'node:child_process'
import { once } from 'node:events'

/** A separate process that answers questions. */
export interface Child {
  ask<Answer>(verb: string, input?: unknown): Promise<Answer>
  stop(): Promise<void>
}

interface Question {
  readonly id: number
  readonly verb: string
  readonly input: unknown
}

interface Reply {
  readonly id: number
  readonly output?: unknown
  readonly error?: string
}

/**
 * Starts a module that calls `answerParent`. When stopped, the module can end by itself; if it does not, its process is
 * killed by id.
 */
export function startChild(module: URL): Child {
  const child = fork(module, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const waiting = new Map<number, { resolve: (output: unknown) => void; reject: (error: Error) => void }>()
  const exited = once(child, 'exit')
  let lastId = 0
  child.on('message', (message) => {
    const { id, output, error } = message as Reply
    const asked = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) asked?.resolve(output)
    else asked?.reject(new Error(error))
  })
  child.on('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${module.pathname} ended with ${code}`))
  })
  return {
    ask<Answer>(verb: string, input?: unknown) {
      lastId += 1
      const id = lastId
      return new Promise<Answer>((resolve, reject) => {
        waiting.set(id, { resolve: (output) => resolve(output as Answer), reject })
        child.send({ id, verb, input } satisfies Question)
      })
    },
    async stop() {
      if (child.connected) child.disconnect()
      const kill = setTimeout(() => child.kill('SIGKILL'), 10_000)
      await exited
      clearTimeout(kill)
    },
  }
}

/** In the child: answers each verb until the parent disconnects, then cleans up and ends. */
export function answerParent(
  verbs: Readonly<Record<string, (input: never) => unknown>>,
  cleanUp: () => Promise<unknown> | unknown = () => {},
): void {
  process.on('message', async (message) => {
    const { id, verb, input } = message as Question
    const reply: Reply = await Promise.resolve()
      .then(() => verbs[verb]?.(input as never))
      .then(
        (output) => ({ id, output }),
        (error: unknown) => ({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
      )
    // The parent may have ended.
    process.send?.(reply, () => undefined)
  })
  process.on('disconnect', async () => {
    await cleanUp()
    process.exit()
  })
}
