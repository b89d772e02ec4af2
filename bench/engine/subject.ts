/** An engine to measure: runs of four consecutive steps; each returns a number that is stored durably. */
export interface Subject {
  /** Executes `runs` runs, at most `concurrency` at a time. */
  run(runs: number, concurrency: number): Promise<void>
  /** The milliseconds from the start of one step to the start of the next, over `runs` runs one after the other. */
  stepMs(runs: number): Promise<readonly number[]>
  close(): Promise<void>
}

export type SubjectName =
  | 'audience'
  | 'audience, plain steps'
  | 'audience on Postgres'
  | 'DBOS'
  | 'OpenWorkflow'
  | 'Restate'

/** The requests of the parent. Each answer is a number of milliseconds, or a list of them. */
export type Order =
  | { readonly kind: 'run'; readonly runs: number; readonly concurrency: number }
  | { readonly kind: 'steps'; readonly runs: number }
  | { readonly kind: 'close' }

export const STEPS = ['a', 'b', 'c', 'd'] as const

/** Calls `work` this many times, at most `concurrency` at a time. */
export async function times(
  count: number,
  concurrency: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0
  const one = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: Math.min(count, concurrency) }, one))
}

/** Records the start times of the steps, for one run at a time. */
export class StepTimes {
  #before: number | undefined
  readonly gapsMs: number[] = []

  runBegins(): void {
    this.#before = undefined
  }

  stepBegins(): void {
    const now = performance.now()
    if (this.#before !== undefined) this.gapsMs.push(now - this.#before)
    this.#before = now
  }
}
