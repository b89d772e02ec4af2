import type { Beat } from '../../state/postgres/worker-rows.ts'

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
   * Whether this worker begins a run that it got. While it is draining, it begins only runs that another run waits for:
   * children of its own runs and, if no other worker takes runs, children of any run.
   */
  mayBegin(run: { readonly isChild: boolean; readonly isOwnChild: boolean }): boolean {
    return !this.#isOn || run.isOwnChild || (run.isChild && !this.#hasOthers)
  }

  /** Resolves when `isOn` or `givesAway` may have changed. */
  get changed(): Promise<void> {
    return this.#changed.promise
  }
}
