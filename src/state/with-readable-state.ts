import { join } from 'node:path'
import { sqliteCode } from '../core/code-of.ts'
import type { RecordedService } from '../core/service-ref.ts'
import { openReadableState, readFailure } from './sqlite/open-readable-state.ts'
import type { ReadableState, StateAround } from './state.ts'

/** Where a state is: in a folder, or in a database. `here` is needed for data of one service. */
export interface StatePlace {
  readonly state: string
  readonly database?: { readonly url: string }
  readonly here?: RecordedService
}

/** Opens a state for work that only reads. This needs no write access, and nothing is written. */
export async function withReadableState<T>(
  place: StatePlace,
  around: StateAround,
  work: (state: ReadableState) => T | Promise<T>,
): Promise<T> {
  const state = await openForReads(place, around)
  let result: T
  try {
    result = await work(state)
  } catch (error) {
    await state.close()
    throw sqliteCode(error) === undefined ? error : readFailure(join(place.state, 'runs.db'), error)
  }
  await state.close()
  return result
}

/** Opens a state for reading until the caller closes it. */
export async function openForReads(
  { state: folder, database, here }: StatePlace,
  around: StateAround,
): Promise<ReadableState> {
  if (!database) return openReadableState(folder, around, here)
  // Loaded only where it is needed.
  const { openReadableDatabase } = await import('./postgres/open-postgres-state.ts')
  return openReadableDatabase(database.url, around, here)
}
