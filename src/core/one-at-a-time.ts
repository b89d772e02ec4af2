/** Runs the work one pass at a time. All calls during a pass are served by one more pass after it. */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const start = () => {
    running = work().finally(() => {
      running = undefined
    })
    return running
  }
  const startNext = () => {
    next = undefined
    return start()
  }
  return () => {
    if (!running) return start()
    next ??= running.then(startNext, startNext)
    return next
  }
}

/** Like `oneAtATime`, for work that its callers repeat regularly: nobody waits for it, and a failure is ignored. */
export function inBackground(work: () => Promise<void>): () => void {
  const pass = oneAtATime(work)
  return () => void pass().catch(() => undefined)
}

/** Runs a task as soon as there is room for it. */
export type Limit = <T>(work: () => Promise<T>) => Promise<T>

/** Runs at most `atOnce` tasks at the same time, in the order in which they arrived. */
export function createLimit(atOnce: number): Limit {
  let free = atOnce
  const waiting: (() => void)[] = []
  return async (work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}

/** Work with a name waits for earlier work with that name, whether or not the earlier work fails. */
export function inTurn(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return async (name, work) => {
    const before = last.get(name)
    const mine = before ? before.then(work, work) : work()
    last.set(name, mine)
    try {
      return await mine
    } finally {
      if (last.get(name) === mine) last.delete(name)
    }
  }
}
