import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { stepMemorySuite } from '../../contract/step-memory-suite.ts'

stepMemorySuite('SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'audience-memory-'))
  return {
    open: (service) =>
      openEmbeddedState({ folder, redact: (text) => text, now: Date.now, here: { profile: 'local', service } }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
})
