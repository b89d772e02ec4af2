/** Runs the work one pass at a time: one more pass after the present one answers all calls made during it. */
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

/** Runs a task as soon as there is room for it. */
export type Limit = <T>(work: () => Promise<T>) => Promise<T>

/** Runs at most `atOnce` tasks at the same time, in the order in which they came. */
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
