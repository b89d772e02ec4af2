import { join } from 'node:path'
import type { RecordedService } from '../core/service-ref.ts'
import { systemClock } from '../platform/clock.ts'
import { openReadableState, readFailure } from './sqlite/open-readable-state.ts'
import type { ReadableState } from './state.ts'

/**
 * Opens the state for read-only work: it needs no write access, and nothing is written. Work on what belongs to one
 * service names it as `here`.
 */
export async function withReadableState<T>(
  { state: folder, here }: { readonly state: string; readonly here?: RecordedService },
  work: (state: ReadableState) => T | Promise<T>,
): Promise<T> {
  const state = openReadableState(folder, systemClock.now, here)
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

function isOfSqlite(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error
}
