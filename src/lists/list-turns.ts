import type { ListLimits } from '../core/list-limits.ts'

/** Work that is waiting for its turn, or whose turn has come. */
interface Turn {
  readonly runId: string
}

/**
 * Which of the lists that are waiting comes next, if any: the first list of the run with the fewest lists in progress.
 * If one run occupies all the other slots, the last slot stays free, so that the slow lists of that run never hold up
 * another run.
 */
export function nextTurn<T extends Turn>(
  waiting: readonly T[],
  working: readonly Turn[],
  atOnce: number,
): T | undefined {
  if (working.length >= atOnce) return undefined
  const worksOn = (runId: string) => working.filter((turn) => turn.runId === runId).length
  const mostOfRun = Math.max(1, atOnce - 1)
  const [first, ...others] = waiting.filter(({ runId }) => worksOn(runId) < mostOfRun)
  return others.reduce((best, turn) => (best && worksOn(turn.runId) < worksOn(best.runId) ? turn : best), first)
}

/** How many lists are worked on at once. Together, they may use half of the machine's memory. */
export function placesFor({ atOnce, memoryBytes }: ListLimits, machineBytes: number): number {
  return atOnce ?? Math.min(4, Math.max(2, Math.floor(machineBytes / 2 / memoryBytes)))
}

/** Lists take turns: each needs memory, so only a few are worked on at once. */
export class ListTurns {
  readonly #atOnce: number
  #waiting: (Turn & { readonly begin: () => void })[] = []
  readonly #working = new Set<Turn>()

  constructor(atOnce: number) {
    this.#atOnce = atOnce
  }

  /** Waits for a turn, then runs `work`; the turn ends with it. `onTurn` is as in `Lists.make`. */
  async take<T>(
    {
      runId,
      signal,
      onTurn,
    }: {
      runId: string
      signal: AbortSignal
      onTurn: ((ahead: number) => void) | undefined
    },
    work: () => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted()
    const begun = Promise.withResolvers<void>()
    const turn = { runId, begin: begun.resolve }
    const leave = () => {
      this.#waiting = this.#waiting.filter((other) => other !== turn)
      begun.reject(signal.reason)
    }
    this.#waiting.push(turn)
    this.#beginNext()
    const mustWait = !this.#working.has(turn)
    if (mustWait) onTurn?.(this.#working.size + this.#waiting.length - 1)
    signal.addEventListener('abort', leave)
    try {
      await begun.promise
      signal.throwIfAborted()
      if (mustWait) onTurn?.(0)
      return await work()
    } finally {
      signal.removeEventListener('abort', leave)
      this.#working.delete(turn)
      this.#beginNext()
    }
  }

  #beginNext(): void {
    for (;;) {
      const turn = nextTurn(this.#waiting, [...this.#working], this.#atOnce)
      if (!turn) return
      this.#waiting = this.#waiting.filter((other) => other !== turn)
      this.#working.add(turn)
      turn.begin()
    }
  }
}
