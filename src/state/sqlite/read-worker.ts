import { parentPort, workerData } from 'node:worker_threads'
import type { ServiceAtHand } from '../service-at-hand.ts'
import { openForReading } from './open-for-reading.ts'
import { createOwner } from './owners.ts'
import { createRunReads, type RunReads } from './run-reads.ts'
import { thisMachine } from './this-machine.ts'

/** What the thread of `ReadThread` does: it answers reads, one after the other, over a connection that only reads. */
export interface ReadTask {
  readonly file: string
  readonly here: ServiceAtHand
}

export interface ReadQuestion {
  readonly id: number
  readonly read: keyof RunReads
  readonly args: readonly unknown[]
}

export type ReadAnswer = { readonly id: number } & ({ readonly value: unknown } | { readonly error: unknown })

const { file, here } = workerData as ReadTask
const { db } = openForReading(file)
const owner = createOwner(db, Date.now, thisMachine())
const reads = createRunReads(db, owner.living, here)

parentPort?.on('message', ({ id, read, args }: ReadQuestion) => {
  parentPort?.postMessage(answer(id, () => (reads[read] as (...args: readonly unknown[]) => unknown)(...args)))
})

function answer(id: number, work: () => unknown): ReadAnswer {
  try {
    return { id, value: work() }
  } catch (error) {
    return { id, error }
  }
}
