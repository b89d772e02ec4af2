import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test, vi } from 'vitest'
import type { FinalStatus, StoredRecord, ToleratedFailures } from '../../../src/core/run.ts'
import type { NewRun } from '../../../src/state/journal.ts'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { occurrenceModelSuite } from '../../contract/occurrence-model-suite.ts'
import { type OccurrenceStoreUnderTest, occurrenceStoreSuite, TAKEN } from '../../contract/occurrence-store-suite.ts'
import type { Place } from '../../contract/run-writer.ts'
import { around } from '../../support/around.ts'
import { memoryOccurrenceStore } from '../../support/memory-occurrence-store.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { tries } from '../../support/tries.ts'

const unchanged = (text: string) => text

function newRun(runId: string): NewRun {
  const submitted = { type: 'run.submitted', file: 'p.yaml', folder: '/', text: '', digest: '' } as const
  return { runId, at: 1, record: { ...submitted, pipeline: 'p', inputs: {}, trigger: {} } }
}

function ended(status: FinalStatus, failed: ToleratedFailures = {}): StoredRecord {
  return { seq: 1, at: 2, record: { type: 'run.finished', status, ...failed } }
}

function place(): Place<OccurrenceStoreUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'audience-triggers-'))
  return {
    open() {
      const { journal, occurrences: triggers } = openEmbeddedState({ folder, redact: unchanged, ...around })
      return {
        occurrenceStore: triggers,
        async take({ key, at, detail, open }, runId) {
          const occurrence = { trigger: TAKEN.trigger, key, at, ...(detail && { detail }), ...(open && { open }) }
          return !(await journal.submit({ ...newRun(runId), occurrence })).existing
        },
        end: (runId, status, failed) => journal.append(runId, [ended(status, failed)]),
        close: () => journal.close(),
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

occurrenceStoreSuite('SQLite', place)
occurrenceModelSuite('SQLite', place, { plans: tries(20, 2000) })

occurrenceStoreSuite('memory', () => {
  const occurrenceStore = memoryOccurrenceStore()
  return {
    open: () => ({
      occurrenceStore,
      take: async (occurrence, runId) => occurrenceStore.take({ ...occurrence, ...TAKEN }, runId),
      end: async (runId, status, failed) => occurrenceStore.end(runId, status, failed),
      close: () => undefined,
    }),
    remove: () => undefined,
  }
})

describe('occurrences in the state file', () => {
  const asked = { pipeline: 'p', trigger: 't', key: 'k', at: 1 }

  /** An empty state with its tables as the journal sees them. */
  function openRows(redact = unchanged) {
    const folder = tempFolder()
    const { journal, runs, occurrences: triggers } = openEmbeddedState({ folder, redact, ...around })
    const db = new DatabaseSync(join(folder, 'runs.db'))
    const close = () => {
      db.close()
      journal.close()
    }
    return { folder, db, journal, runs, triggers, close }
  }

  const group = { name: 'g', limit: 1, onConflict: 'skip', because: 'overlap' } as const
  const submitted = (runId: string, occurrence: NewRun['occurrence'], groups: NewRun['groups'] = []) => ({
    ...{ ...newRun(runId), occurrence, groups },
  })

  test('say which run was made of one that is asked for again', async () => {
    const { journal, triggers, close } = openRows()
    const slot = { trigger: 't', key: 'k', at: 1 }
    expect(await journal.submit(submitted('r1', slot, [group]))).toMatchObject({ runId: 'r1', existing: false })
    expect(await journal.submit(submitted('r2', slot))).toMatchObject({ runId: 'r1', state: 'existing' })
    const skipped = { ...slot, key: 'skipped' }
    expect(await journal.submit(submitted('r3', skipped, [group]))).toMatchObject({ runId: 'r1', state: 'skipped' })
    expect(await journal.submit(submitted('r4', skipped))).toMatchObject({ runId: '', state: 'existing' })
    const behind = { state: 'skipped', reason: 'overlap', detail: { behind: 'r1' } }
    expect(await triggers.find({ ...asked, key: 'skipped' })).toMatchObject(behind)
    close()
  })

  test('that a busy group does not let in keep what is known of them', async () => {
    const { journal, triggers, close } = openRows()
    await journal.submit(submitted('r1', undefined, [group]))
    const due = { key: 'k', at: 1, state: 'due', detail: { path: 'a.csv' }, open: true } as const
    await triggers.note(asked, { occurrences: [due] })
    await journal.submit(submitted('r2', { trigger: 't', key: 'k', at: 1 }, [group]))
    const skipped = { ...asked, state: 'skipped', reason: 'overlap', detail: { path: 'a.csv' }, open: true }
    expect(await triggers.find(asked)).toEqual(skipped)
    close()
  })

  test('outlive the runs that were made of them', async () => {
    const { journal, runs, triggers, close } = openRows()
    await journal.submit({ ...newRun('r1'), occurrence: { trigger: 't', key: 'k', at: 1, open: true } })
    await journal.append('r1', [ended('failed')])
    await runs.remove(['r1'], 1000)
    expect(journal.find('r1')).toBeUndefined()
    expect(await triggers.find(asked)).toMatchObject({ state: 'ran', runId: 'r1' })
    // Its file is not forgotten, but it is no longer known how the run ended.
    expect(await triggers.ended(asked, 9)).toMatchObject([{ occurrence: { key: 'k' } }])
    expect((await triggers.ended(asked, 9))[0]?.status).toBeUndefined()
    close()
  })

  test('have no secret in their reasons; their details are stored as they are', async () => {
    const { folder, journal, triggers, close } = openRows((text) => text.replaceAll('s3cret-token', '***'))
    const secret = { reason: 'no s3cret-token', detail: { file: '/in/s3cret-token.csv' } }
    await triggers.note(asked, { occurrences: [{ key: 'a', at: 1, state: 'failed', ...secret }] })
    await triggers.close({ ...asked, key: 'a' }, secret.detail)
    const taken = { trigger: 't', at: 1, detail: secret.detail }
    await journal.submit(submitted('r1', { ...taken, key: 'k' }, [group]))
    await journal.submit(submitted('r2', { ...taken, key: 'b' }, [{ ...group, because: secret.reason }]))
    expect(await triggers.find({ ...asked, key: 'a' })).toMatchObject({ reason: 'no ***', detail: secret.detail })
    close()
    expect(readFileSync(join(folder, 'runs.db')).includes('no s3cret-token')).toBe(false)
  })

  test('are found through an index, however many there are', async () => {
    const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare')
    const { db, triggers, close } = openRows()
    for (const filter of [{}, { pipeline: 'p' }, { ...TAKEN, from: 1, to: 2 }, { state: ['missed'] as const }]) {
      await triggers.list({ limit: 9, ...filter })
    }
    await Promise.all([triggers.find({ ...asked, key: 'k' }), triggers.due(asked, 9), triggers.triggersDue()])
    await Promise.all([triggers.ended(asked, 9), triggers.summary(0)])
    const queries = prepare.mock.calls.map(([text]) => text).filter((text) => /^\s*SELECT.*occurrences/s.test(text))
    prepare.mockRestore()
    const steps = queries.flatMap((text) => db.prepare(`EXPLAIN QUERY PLAN ${text}`).all())
    const scans = steps.map(({ detail }) => String(detail)).filter((detail) => !/USING .*INDEX|SEARCH/.test(detail))
    expect(queries.length).toBeGreaterThan(6)
    // New runs and new occurrences are grouped by their triggers; listing the newest occurrences of one pipeline reads
    // and sorts all of its occurrences. Nothing else sorts or scans.
    const [groups, order] = ['USE TEMP B-TREE FOR GROUP BY', 'USE TEMP B-TREE FOR ORDER BY']
    expect(scans.sort()).toEqual([groups, groups, order])
    const [caughtUp = ''] = queries.filter((text) => text.includes('JOIN occurrences'))
    const [first] = db.prepare(`EXPLAIN QUERY PLAN ${caughtUp}`).all()
    expect(first?.detail).toMatch(/^SEARCH runs USING .*INDEX runs_by_time /)
    close()
  })
})
