import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { auditLogSuite } from '../../contract/audit-log-suite.ts'
import { around } from '../../support/around.ts'
import { tempFolder } from '../../support/temp-folder.ts'

auditLogSuite('SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'audience-audit-'))
  return {
    open: () => openEmbeddedState({ folder, redact: (text) => text, ...around }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
})

test('no secret is in the audit log', async () => {
  const folder = tempFolder()
  const redact = (text: string) => text.replaceAll('s3cret-token', '***')
  const { journal, audit } = openEmbeddedState({ folder, redact, ...around })
  const secret = 's3cret-token'
  await audit.add({ by: secret, comment: secret, act: 'run.start', subject: secret, detail: secret, outcome: secret })
  journal.close()
  expect(readFileSync(join(folder, 'runs.db')).includes(secret)).toBe(false)
})
