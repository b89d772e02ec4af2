import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createSealing } from '../../../src/core/create-sealing.ts'
import { checkDatabase } from '../../../src/state/postgres/check-database.ts'
import { openPostgresState } from '../../../src/state/postgres/open-postgres-state.ts'
import { checkState } from '../../../src/state/sqlite/check-state.ts'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import type { State } from '../../../src/state/state.ts'
import type { StateCheck } from '../../../src/state/state-check.ts'
import type { RunWriter } from '../../contract/run-writer.ts'
import { around } from '../../support/around.ts'
import { describeWithPostgres, newDatabase } from '../../support/postgres.ts'
import { seedRuns } from '../../support/seed-runs.ts'
import { sql } from '../../support/sql.ts'
import { tempFolder } from '../../support/temp-folder.ts'

interface Store {
  readonly state: State
  readonly writer: RunWriter
  change(statements: readonly string[]): unknown
  check(): StateCheck | Promise<StateCheck>
}

function embedded(): Store {
  const folder = tempFolder()
  const { journal, ...state } = openEmbeddedState({ folder, redact: (text) => text, ...around })
  const file = join(folder, 'runs.db')
  return {
    ...{ state, writer: journal, check: () => checkState(file) },
    change(statements) {
      using db = new DatabaseSync(file)
      for (const statement of statements) db.exec(statement.replaceAll('audience.', ''))
    },
  }
}

async function database(): Promise<Store> {
  const url = await newDatabase()
  const state = await openPostgresState({ url, redact: (text) => text, ...around })
  return {
    ...{ state, writer: seedRuns(state), check: () => checkDatabase(url) },
    change: (statements) => sql(url, ...statements),
  }
}

const submitted = { type: 'run.submitted', pipeline: 'p', file: 'f', folder: '/', digest: '', text: '' } as const
const record = { ...submitted, inputs: {}, trigger: { kind: 'manual' } }
const FILES = { pipeline: 'p', trigger: 't' }

describeWithPostgres.each([
  ['a folder', embedded],
  ['a database', database],
])('the check of the state in %s', (_, open) => {
  test('finds nothing in a file with the same content as an earlier one', async () => {
    const { state, writer, check } = await open()
    await writer.submit({ runId: 'r', at: 1, record, occurrence: { trigger: 't', key: 'a', at: 1 } })
    const again = { key: 'b', at: 2, state: 'skipped', reason: 'duplicate', runId: 'r' } as const
    await state.occurrences.note(FILES, { occurrences: [again] })
    await writer.close()
    expect(await check()).toMatchObject({ ok: true, problems: [] })
  })

  test('finds nothing in the memory of a step with secrets', async () => {
    const { state, writer, check } = await open()
    const ref = { profile: 'local', pipeline: 'p', step: 's' }
    await state.memory.set(ref, { id: 's3cret-token' }, createSealing({ TOKEN: 's3cret-token' }))
    await writer.close()
    expect(await check()).toMatchObject({ ok: true, problems: [] })
  })

  test('finds each contradiction that somebody wrote', async () => {
    const { writer, change, check } = await open()
    for (const runId of ['ended', 'open', 'bare', 'grouped', 'undone', 'counted']) {
      const groups = runId === 'grouped' ? [{ name: 'g', limit: 1, onConflict: 'queue' } as const] : []
      await writer.submit({ runId, at: 1, record, groups })
      if (runId !== 'open')
        await writer.append(runId, [{ seq: 1, at: 2, record: { type: 'run.finished', status: 'failed' } }])
    }
    await writer.close()
    const occurrence = 'INSERT INTO audience.occurrences (pipeline, trigger_name, key, at, state, run_id, detail)'
    await change([
      `UPDATE audience.records SET seq = 7 WHERE run_id = 'ended' AND seq = 1`,
      `DELETE FROM audience.records WHERE run_id = 'bare'`,
      `UPDATE audience.runs SET finished_at = NULL WHERE run_id = 'undone'`,
      `INSERT INTO audience.run_groups VALUES ('g', 'grouped', 1)`,
      `INSERT INTO audience.records (run_id, seq, at, data) VALUES ('open', 1, 1, 'half of')`,
      `INSERT INTO audience.records (run_id, seq, at, data) VALUES ('nobody', 0, 1, '{}')`,
      `INSERT INTO audience.step_memory VALUES ('local', '', 'p', 's', 'x')`,
      `INSERT INTO audience.made (profile, service, kind, id, name, about, pipeline, step, run_id, at, found)
        VALUES ('local', '', 'match', 'm', '', 'x', '', '', '', 0, true)`,
      `INSERT INTO audience.notifications (channel, key, data, at) VALUES ('c', 'k', 'x', 1)`,
      `${occurrence} VALUES ('p', 't', 'a', 1, 'due', 'open', NULL)`,
      `${occurrence} VALUES ('p', 't', 'b', 1, 'ran', 'counted', NULL), ('p', 't', 'c', 1, 'ran', 'counted', NULL)`,
      `${occurrence} VALUES ('p', 't', 'd', 1, 'missed', NULL, 'x')`,
    ])
    const { ok, problems } = await check()
    expect(ok).toBe(false)
    expect(problems.map(({ kind, runId, message }) => `${kind} ${runId} ${message}`).sort()).toEqual([
      'memory undefined the entry for match m cannot be read',
      'memory undefined the memory of step p/s cannot be read',
      'notification undefined the notification 1 cannot be read',
      'occurrence counted the run has 2 occurrences',
      'occurrence open the occurrence a of p/t is due, but has a run',
      'occurrence undefined the occurrence d of p/t cannot be read',
      'record ended the run has 2 records, but the last one has the number 7',
      'record nobody there are rows in records, but no run',
      'record open record 1 cannot be read',
      'run bare the run has no records',
      'run grouped the run has ended or does not exist, but has a place in the group g',
      'run undone the run is listed as failed, but has no end',
      'run undone the run is listed as failed, but its last record says something else',
    ])
  })
})
