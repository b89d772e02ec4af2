import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { claimsSuite } from '../../contract/claims-suite.ts'

claimsSuite('SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'audience-claims-'))
  return {
    open: (service) =>
      openEmbeddedState({ folder, redact: (text) => text, now: Date.now, here: { profile: 'local', service } }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
})
