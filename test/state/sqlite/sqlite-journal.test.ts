import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { createReadThread } from '../../../src/app/read-thread.ts'
import { createSealing, openedRecord } from '../../../src/core/create-sealing.ts'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { openState } from '../../../src/state/sqlite/open-state.ts'
import { admissionSuite } from '../../contract/admission-suite.ts'
import { journalSuite } from '../../contract/journal-suite.ts'
import { runFilterSuite } from '../../contract/run-filter-suite.ts'
import { runHistorySuite } from '../../contract/run-history-suite.ts'
import { around } from '../../support/around.ts'
import { endLeases } from '../../support/end-leases.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { tries } from '../../support/tries.ts'

function place() {
  const folder = mkdtempSync(join(tmpdir(), 'audience-journal-'))
  return {
    open: () => openEmbeddedState({ folder, redact: (text) => text, ...around }),
    endLeases: () => endLeases(folder),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

for (const suite of [journalSuite, admissionSuite, runHistorySuite]) suite('SQLite', place)
runFilterSuite('SQLite', place, { plans: tries(20, 2000) })

runHistorySuite('SQLite, read in a thread', () => {
  const folder = mkdtempSync(join(tmpdir(), 'audience-journal-'))
  const { lists, close } = createReadThread({ state: folder })
  return {
    open: () => openEmbeddedState({ folder, redact: (text) => text, ...around, lists }),
    async remove() {
      await close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
})

describe('the state file', () => {
  test('has no secret of the document of a run in it', async () => {
    const folder = tempFolder()
    const { journal, runs } = openEmbeddedState({
      folder,
      redact: (text) => text.replaceAll('s3cret-token', '***'),
      ...around,
    })
    const sealing = createSealing({ TOKEN: 's3cret-token' })
    await journal.submit({
      runId: 'a',
      at: 1,
      record: {
        type: 'run.submitted',
        pipeline: 'p',
        file: 'f',
        folder: '/',
        text: '',
        digest: '',
        inputs: { k: 's3cret-token' },
        trigger: {},
      },
      sealing,
    })
    const error = { code: 'x', kind: 'failed', message: 'no s3cret-token' } as const
    const value = { id: 's3cret-token' }
    await journal.append('a', [
      { seq: 1, at: 1, record: { type: 'effect.done', step: 's', attempt: 1, name: 'made', value }, sealing },
      { seq: 2, at: 1, record: { type: 'run.finished', status: 'failed', error }, sealing },
    ])
    const stored = journal.records('a').map((record) => openedRecord(record, sealing))
    expect(stored).toMatchObject([{ record: { inputs: { k: 's3cret-token' } } }, { record: { value } }, {}])
    expect(await runs.records('a')).toMatchObject([
      { record: { inputs: { k: '***' } } },
      { record: { value: { id: '***' } } },
      {},
    ])
    expect(await runs.submission('a')).toMatchObject({ inputs: { k: '***' } })
    journal.close()
    expect(readFileSync(join(folder, 'runs.db')).includes('s3cret-token')).toBe(false)
  })

  test('of a newer version is refused and left as it is', () => {
    const folder = tempFolder()
    openState(folder).close()
    const newer = new DatabaseSync(join(folder, 'runs.db'))
    newer.exec('PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)')
    newer.close()
    const before = readFileSync(join(folder, 'runs.db'))
    expect(() => openState(folder)).toThrow(expect.objectContaining({ code: 'state-too-new' }))
    expect(readFileSync(join(folder, 'runs.db')).equals(before)).toBe(true)
  })

  test('that is no database is refused and left as it is', () => {
    const folder = tempFolder()
    writeFileSync(join(folder, 'runs.db'), 'this is not a database, but somebody may need it')
    expect(() => openState(folder)).toThrow(expect.objectContaining({ code: 'state-damaged' }))
    expect(readFileSync(join(folder, 'runs.db'), 'utf8')).toContain('somebody may need it')
  })

  test('that was cut short is refused', () => {
    const folder = tempFolder()
    openState(folder).close()
    truncateSync(join(folder, 'runs.db'), 5000)
    expect(() => openState(folder)).toThrow(expect.objectContaining({ code: 'state-damaged' }))
  })
})

test('a packing without any time does not say that there is nothing to pack', async () => {
  const { journal, runs } = openEmbeddedState({ folder: tempFolder(), redact: (text) => text, ...around })
  expect(await runs.pack(0)).toBe(true)
  expect(await runs.pack(60_000)).toBe(false)
  journal.close()
})
