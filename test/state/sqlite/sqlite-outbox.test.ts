import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { outboxSuite } from '../../contract/outbox-suite.ts'
import { around } from '../../support/around.ts'
import { tempFolder } from '../../support/temp-folder.ts'

outboxSuite('SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'audience-outbox-'))
  return {
    open: () => openEmbeddedState({ folder, redact: (text) => text, ...around }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
})

test('no secret is in what waits, nor in why it could not be delivered', async () => {
  const folder = tempFolder()
  const redact = (text: string) => text.replaceAll('s3cret-token', '***')
  const { journal, outbox } = openEmbeddedState({ folder, redact, ...around })
  const notification = { key: 'a', event: 'failure', at: 1, pipeline: 'p', title: 's3cret-token', next: [] } as const
  await outbox.commitBatch({
    events: [],
    notifications: [{ channel: 'ops', notification }],
    checkpoints: new Map(),
    at: 0,
  })
  const [waiting] = await outbox.due('ops', 0, 1)
  expect(waiting?.notification.title).toBe('***')
  await outbox.failed([waiting?.id ?? -1], { error: 's3cret-token', nextAt: 1 })
  journal.close()
  expect(readFileSync(join(folder, 'runs.db')).includes('s3cret-token')).toBe(false)
})
