import type { Outbox } from '../state/outbox.ts'

/** The checkpoints that the current batch will store, by name; null removes one. */
export type CheckpointChanges = Map<string, number | null>

/** When a batch is made, and which pipelines are muted at that time. */
export interface Now {
  readonly nowMs: number
  readonly isQuiet: (pipeline: string) => boolean
}

/** The value of a checkpoint, as it will be after the batch. */
export async function checkpointOf(
  name: string,
  changes: CheckpointChanges,
  outbox: Pick<Outbox, 'checkpoint'>,
): Promise<number | undefined> {
  return (changes.has(name) ? changes.get(name) : await outbox.checkpoint(name)) ?? undefined
}

/** The values of the checkpoints with this prefix, by the rest of their names, as they will be after the batch. */
export async function checkpointsOf(
  prefix: string,
  changes: CheckpointChanges,
  outbox: Pick<Outbox, 'checkpoints'>,
): Promise<ReadonlyMap<string, number>> {
  const all = new Map<string, number | null>(await outbox.checkpoints(prefix))
  for (const [name, value] of changes) if (name.startsWith(prefix)) all.set(name, value)
  return new Map(
    [...all].flatMap(([name, value]) => (value === null ? [] : [[name.slice(prefix.length), value] as const])),
  )
}
