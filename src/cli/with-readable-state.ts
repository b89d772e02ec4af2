import { join } from 'node:path'
import { systemClock } from '../clock.ts'
import { loadSettings } from '../config/load-settings.ts'
import type { Settings } from '../config/settings.ts'
import { openReadableState, type ReadableState, readFailure } from '../engine/embedded/open-readable-state.ts'
import type { Terminal } from './terminal.ts'

/** Opens the state for read-only work: it needs no write access, and nothing is written. */
export async function withReadableState<T>(
  { state: folder }: Pick<Settings, 'state'>,
  work: (state: ReadableState) => T | Promise<T>,
): Promise<T> {
  const state = openReadableState(folder, systemClock.now)
  let result: T
  try {
    result = await work(state)
  } catch (error) {
    state.close()
    throw isOfSqlite(error) ? readFailure(join(folder, 'runs.db'), error) : error
  }
  state.close()
  return result
}

/** The same for the runs in the state of the nearest audience.yaml. */
export function lookAtRuns<T>(
  { env, cwd }: Terminal,
  work: (journal: ReadableState['journal']) => T | Promise<T>,
): Promise<T> {
  return withReadableState(loadSettings({ env, cwd, flags: {} }), ({ journal }) => work(journal))
}

function isOfSqlite(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error
}
