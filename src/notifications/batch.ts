import type { Outbox } from '../state/outbox.ts'

/** Notifications that are made together, and what one transaction stores with them. */
export interface Batch {
  readonly nowMs: number
  /** Whether a pipeline is muted now; '' is for notifications about all pipelines. */
  readonly isQuiet: (pipeline: string) => boolean
  readonly checkpoints: Checkpoints
}

/** The checkpoints of the outbox, as they will be after the batch. */
export class Checkpoints {
  /** The values that the batch will store, by name; null removes one. */
  readonly changes = new Map<string, number | null>()
  readonly #outbox: Pick<Outbox, 'checkpoint' | 'checkpoints'>

  constructor(outbox: Pick<Outbox, 'checkpoint' | 'checkpoints'>) {
    this.#outbox = outbox
  }

  async find(name: string): Promise<number | undefined> {
    const changed = this.changes.get(name)
    return (changed === undefined ? await this.#outbox.checkpoint(name) : changed) ?? undefined
  }

  /** The values of the checkpoints with this prefix, by the rest of their names. */
  async under(prefix: string): Promise<ReadonlyMap<string, number>> {
    const all = new Map<string, number | null>(await this.#outbox.checkpoints(prefix))
    for (const [name, value] of this.changes) if (name.startsWith(prefix)) all.set(name, value)
    return new Map(
      [...all].flatMap(([name, value]) => (value === null ? [] : [[name.slice(prefix.length), value] as const])),
    )
  }

  set(name: string, value: number): void {
    this.changes.set(name, value)
  }

  async countUp(name: string): Promise<void> {
    this.set(name, ((await this.find(name)) ?? 0) + 1)
  }

  remove(...names: readonly string[]): void {
    for (const name of names) this.changes.set(name, null)
  }
}
