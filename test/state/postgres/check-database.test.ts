import { expect, test } from 'vitest'
import { checkDatabase } from '../../../src/state/postgres/check-database.ts'
import { openPostgresState } from '../../../src/state/postgres/open-postgres-state.ts'
import { around } from '../../support/around.ts'
import { createDatabase, describeWithPostgres, newDatabase } from '../../support/postgres.ts'
import { seedRuns } from '../../support/seed-runs.ts'
import { sql } from '../../support/sql.ts'

describeWithPostgres('the check of a database', () => {
  test('warns if every role of the server may connect', async () => {
    const { url, remove } = await createDatabase()
    try {
      const warnings = [expect.stringMatching(/^every role of the server may connect .*REVOKE CONNECT/)]
      expect(await checkDatabase(url)).toMatchObject({ ok: true, warnings })
      await sql(url, `REVOKE CONNECT ON DATABASE ${new URL(url).pathname.slice(1)} FROM PUBLIC`)
      expect((await checkDatabase(url)).warnings).toBeUndefined()
    } finally {
      await remove()
    }
  })

  test('finds nothing in a whole state, and each contradiction in one that somebody wrote into', async () => {
    const url = await newDatabase()
    const state = await openPostgresState({ url, redact: (text) => text, ...around })
    const { submit, append } = seedRuns(state)
    const submitted = { type: 'run.submitted', pipeline: 'p', file: 'f', folder: '/', digest: '', inputs: {} } as const
    for (const runId of ['ended', 'open', 'bare', 'grouped', 'undone']) {
      const groups = runId === 'grouped' ? [{ name: 'g', limit: 1, onConflict: 'queue' } as const] : []
      const record = { ...submitted, trigger: { kind: 'manual' }, text: `# ${runId}` }
      await submit({ runId, at: 1, record, groups })
      if (runId !== 'open') await append(runId, [{ seq: 1, at: 2, record: { type: 'run.finished', status: 'failed' } }])
    }
    await state.close()
    expect(await checkDatabase(url)).toMatchObject({ ok: true, runs: 5, records: 9, problems: [] })
    await sql(
      url,
      `UPDATE audience.records SET seq = 7 WHERE run_id = 'ended' AND seq = 1`,
      `DELETE FROM audience.records WHERE run_id = 'bare'`,
      `UPDATE audience.runs SET document = 'gone' WHERE run_id = 'open'`,
      `UPDATE audience.runs SET finished_at = NULL WHERE run_id = 'undone'`,
      `INSERT INTO audience.run_groups VALUES ('g', 'grouped', 1)`,
      `INSERT INTO audience.figures VALUES ('nobody', '{}')`,
      `INSERT INTO audience.records VALUES ('open', 1, 1, 'half of')`,
      `INSERT INTO audience.step_memory VALUES ('local', '', 'p', 's', 'x')`,
      `INSERT INTO audience.occurrences (pipeline, trigger_name, key, at, state, run_id) VALUES ('p', 't', 'k', 1, 'due', 'open')`,
    )
    const { ok, problems } = await checkDatabase(url)
    expect(ok).toBe(false)
    expect(problems.map(({ runId, message }) => `${runId} ${message}`).sort()).toEqual([
      'bare the run has no records',
      'ended the run has 2 records, but the last one has the number 7',
      'grouped the run has ended or does not exist, but has a place in the group g',
      'nobody there are rows in figures, but no run',
      'open record 1 cannot be read',
      'open the document of the run is missing',
      'open the occurrence k of p/t is due, but has a run',
      'undefined the memory of step p/s cannot be read',
      'undone the run is listed as failed, but has no end',
      'undone the run is listed as failed, but its last record says something else',
    ])
  })

  test('says that a database has no tables yet', async () => {
    const { url, remove } = await createDatabase({ migrated: false })
    await expect(checkDatabase(url)).rejects.toMatchObject({ code: 'state-not-migrated' })
    await remove()
  })
})
