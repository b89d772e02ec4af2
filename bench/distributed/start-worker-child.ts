import { type Child, startChild } from '../support/child.ts'

/** A worker in its own process. */
export interface WorkerChild {
  readonly child: Child
  readonly pid: number
  readonly executor: string
}

/** Starts one. `open`: the options of `worker-child.ts`. */
export async function startWorkerChild(open: {
  readonly url: string
  readonly jobMs: number
  readonly held?: true
  readonly protocol?: number
}): Promise<WorkerChild> {
  const child = startChild(new URL('worker-child.ts', import.meta.url))
  return { child, ...(await child.ask<Omit<WorkerChild, 'child'>>('open', open)) }
}
