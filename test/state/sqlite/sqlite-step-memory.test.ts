import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSealing } from '../../../src/core/create-sealing.ts'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { stepMemorySuite } from '../../contract/step-memory-suite.ts'
import { around } from '../../support/around.ts'
import { sqlitePlace } from '../../support/sqlite-place.ts'
import { tempFolder } from '../../support/temp-folder.ts'

stepMemorySuite('SQLite', sqlitePlace)

test('no secret of a document is in the state, not even in the keys of what its steps remember', async () => {
  const folder = tempFolder()
  const { journal, memory } = openEmbeddedState({ folder, redact: (text) => text, ...around })
  const sealing = createSealing({ SEASON: 'summer' })
  const key = { profile: 'local', pipeline: 'nightly', step: 'segment summer sale' }
  await memory.set(key, { name: 'summer sale' }, sealing)
  expect(await memory.get(key, sealing)).toEqual({ name: 'summer sale' })
  expect(await memory.get({ ...key, step: 'segment winter sale' }, sealing)).toBeUndefined()
  journal.close()
  for (const file of readdirSync(folder))
    expect(readFileSync(join(folder, file), 'latin1'), file).not.toContain('summer')
})
