import { inBackground } from '../../core/one-at-a-time.ts'
import type { Beat } from '../../state/postgres/worker-rows.ts'
import { RunTakenOverError } from '../../state/run-store.ts'
import type { Gate } from './gate.ts'

/**
 * Whether this worker is draining, according to the last heartbeat. A draining worker takes no new runs, and ends when
 * its runs have ended.
 */
export class Draining {
  #isOn = false
  #hasOthers = false
  #changed = Promise.withResolvers<void>()

  note({ isDraining, hasOthers }: Pick<Beat, 'isDraining' | 'hasOthers'>): void {
    if (isDraining === this.#isOn && hasOthers === this.#hasOthers) return
    this.#isOn = isDraining
    this.#hasOthers = hasOthers
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }

  get isOn(): boolean {
    return this.#isOn
  }

  /** Whether it is draining and there are other workers that take what it gives away. */
  get givesAway(): boolean {
    return this.#isOn && this.#hasOthers
  }

  /**
   * Whether this worker begins a run that was given to it. While it is draining, it begins only runs that another run
   * waits for: children of its own runs and, if no other worker takes runs, children of any run.
   */
  mayBegin(run: { isChild: boolean; isOwnChild: boolean }): boolean {
    return !this.#isOn || run.isOwnChild || (run.isChild && !this.#hasOthers)
  }

  /** Resolves when `isOn` or `givesAway` may have changed. */
  get changed(): Promise<void> {
    return this.#changed.promise
  }
}

/**
 * Lets the work of a draining worker end. `drain` is called with each heartbeat. Runs that only wait go to other
 * workers. While there is no other worker, they stay. `drained` resolves when this process is no longer working on any
 * run.
 */
export function drainRuns({
  runs,
  gate,
  draining,
  worker,
  give,
}: {
  /** As in ActiveRuns. */
  runs: { abandon(reasonFor: (runId: string) => unknown): readonly string[] }
  gate: Pick<Gate, 'hasRoom'>
  draining: Draining
  /** As in RunWorker. */
  worker: { isBusy: boolean; left(runId: string, reason: unknown): void }
  /** Gives runs to the processes that take them. */
  give: (runIds: readonly string[]) => Promise<void>
}): { readonly drain: () => void; readonly drained: Promise<void> } {
  const drained = Promise.withResolvers<void>()
  /** Runs that this process has released but not yet given to other workers. */
  const free = new Set<string>()

  async function letGo(): Promise<void> {
    const reason = (runId: string) => new RunTakenOverError(runId)
    for (const runId of runs.abandon(reason)) {
      free.add(runId)
      worker.left(runId, reason(runId))
    }
    const runIds = [...free]
    await give(runIds)
    for (const runId of runIds) free.delete(runId)
  }

  const drain = inBackground(async () => {
    gate.hasRoom()
    if (draining.givesAway) await letGo()
    if (draining.isOn && !worker.isBusy) drained.resolve()
  })
  return { drain, drained: drained.promise }
}
