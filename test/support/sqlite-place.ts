import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedState, openEmbeddedState } from '../../src/state/sqlite/open-embedded-state.ts'
import type { Place } from '../contract/run-writer.ts'
import { around } from './around.ts'

/** An embedded state in a new folder, for a suite. */
export function sqlitePlace(): Place<EmbeddedState, [service: string]> {
  const folder = mkdtempSync(join(tmpdir(), 'audience-state-'))
  return {
    open: (service) =>
      openEmbeddedState({ folder, redact: (text) => text, ...around, here: { profile: 'local', service } }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
