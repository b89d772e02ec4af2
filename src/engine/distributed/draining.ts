import type { Beat } from '../../state/postgres/worker-rows.ts'

/** Whether this worker drains, as the last heartbeat told: it takes nothing new, and ends when its runs have ended. */
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

  /** It drains, and other workers take what it gives away. */
  get givesAway(): boolean {
    return this.#isOn && this.#hasOthers
  }

  /**
   * Whether this worker begins a run that it was given. While it drains, only those that others wait for: the children
   * of its own runs and, if nobody else takes any, those of runs of other draining workers.
   */
  mayBegin(run: { readonly isChild: boolean; readonly isOwnChild: boolean }): boolean {
    return !this.#isOn || run.isOwnChild || (run.isChild && !this.#hasOthers)
  }

  /** Resolves when either of these changes. */
  get changed(): Promise<void> {
    return this.#changed.promise
  }
}
