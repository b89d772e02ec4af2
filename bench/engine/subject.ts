/** An engine that is measured: runs of four steps in a row, each of which returns a number that is kept durably. */
export interface Subject {
  /** Takes `runs` runs to their end, at most `concurrency` at a time. */
  run(runs: number, concurrency: number): Promise<void>
  /** The milliseconds from the beginning of one step to that of the next, over `runs` runs of which no two overlap. */
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

/** What the parent asks for; each is answered with a number of milliseconds, or a list of them. */
export type Order =
  | { readonly kind: 'run'; readonly runs: number; readonly concurrency: number }
  | { readonly kind: 'steps'; readonly runs: number }
  | { readonly kind: 'close' }

export const STEPS = ['a', 'b', 'c', 'd'] as const

/** Does `work` so many times, at most `concurrency` at a time. */
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

/** Notes when the steps of one run at a time begin. */
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
