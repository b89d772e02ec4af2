import { join } from 'node:path'
import type { RecordedService } from '../core/service-ref.ts'
import { systemClock } from '../platform/clock.ts'
import { openReadableState, readFailure } from './sqlite/open-readable-state.ts'
import type { ReadableState } from './state.ts'

/**
 * Opens the state of a folder, or of the database that has it instead, for read-only work: it needs no write access, and
 * nothing is written. Work on what belongs to one service names it as `here`.
 */
export async function withReadableState<T>(
  {
    state: folder,
    database,
    here,
  }: { readonly state: string; readonly database?: { readonly url: string }; readonly here?: RecordedService },
  work: (state: ReadableState) => T | Promise<T>,
): Promise<T> {
  const state = database ? await openDatabase(database.url, here) : openReadableState(folder, systemClock.now, here)
  let result: T
  try {
    result = await work(state)
  } catch (error) {
    await state.close()
    throw isOfSqlite(error) ? readFailure(join(folder, 'runs.db'), error) : error
  }
  await state.close()
  return result
}

/** Loaded only where it is needed. */
async function openDatabase(url: string, here?: RecordedService): Promise<ReadableState> {
  const { openReadableDatabase } = await import('./postgres/open-readable-database.ts')
  return openReadableDatabase(url, here)
}

function isOfSqlite(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error
}
