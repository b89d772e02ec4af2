import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkDatabase } from '../../../src/state/postgres/check-database.ts'
import { connect } from '../../../src/state/postgres/connect.ts'
import { migrateDatabase } from '../../../src/state/postgres/migrate-database.ts'
import { DATABASE_VERSION } from '../../../src/state/postgres/migrations.ts'
import { openPool } from '../../../src/state/postgres/open-pool.ts'
import { openPostgresState } from '../../../src/state/postgres/open-postgres-state.ts'
import { around } from '../../support/around.ts'
import { createDatabase, describeWithPostgres, newDatabase } from '../../support/postgres.ts'
import { sql } from '../../support/sql.ts'

const REFUSED_PORT = 1
const VERSION_1 = join(import.meta.dirname, '../../fixtures/state/postgres-version-1.sql')

describeWithPostgres('the tables of a database', () => {
  test('are made once, also by two at the same time', async () => {
    const { url, remove } = await createDatabase({ migrated: false })
    try {
      const both = await Promise.all([migrateDatabase(url), migrateDatabase(url)])
      expect(both.map(({ from }) => from).sort()).toEqual([0, DATABASE_VERSION])
      expect(await migrateDatabase(url)).toEqual({ from: DATABASE_VERSION, to: DATABASE_VERSION })
    } finally {
      await remove()
    }
  })

  test('that are missing, older or newer are refused with what to do', async () => {
    const { url, remove } = await createDatabase({ migrated: false })
    try {
      await expect(openPool({ url, max: 1 })).rejects.toMatchObject({
        ...{ code: 'state-not-migrated', kind: 'invalid', hint: expect.stringContaining('audience state migrate') },
      })
      await migrateDatabase(url)
      await sql(url, 'UPDATE audience.version SET version = 99')
      await expect(openPool({ url, max: 1 })).rejects.toMatchObject({ code: 'state-too-new' })
      await expect(migrateDatabase(url)).rejects.toMatchObject({ code: 'state-too-new' })
    } finally {
      await remove()
    }
  })

  test('of version 1 keep what they have, and workers of that version can work on', async () => {
    const { url, remove } = await createDatabase({ migrated: false })
    await sql(url, readFileSync(VERSION_1, 'utf8'))
    await sql(
      url,
      `INSERT INTO audience.step_memory VALUES
        ('local', '', '', 'activation 17', '{"segmentId":"s","matchId":null,"owner":"my night ly activate"}'),
        ('local', '', '', 'match 18', '{"counterpart":"group 9007199254740993"}')`,
    )
    expect(await migrateDatabase(url)).toEqual({ from: 1, to: DATABASE_VERSION })
    const state = await openPostgresState({ url, redact: (same) => same, ...around })
    try {
      expect(await state.made.byId('activation', '17')).toMatchObject({
        ...{ about: { segmentId: 's', matchId: null }, pipeline: 'my night ly', step: 'activate', found: true },
      })
      expect((await state.made.byId('match', '18'))?.about).toEqual({ counterpart: 'group 9007199254740993' })
      expect(await state.runs.figures({ pipeline: 'nightly', limit: 9 })).toEqual([
        { runId: 'ended', step: 'activate', name: 'size', value: 7 },
        { runId: 'ended', step: 'match', name: 'matchCount', value: 866 },
        { runId: 'ended', step: 'match', name: 'rate', value: 0.5 },
      ])
      // As a worker of version 1 does.
      await sql(
        url,
        `INSERT INTO audience.records VALUES ('open', 2, 1, '{"type":"run.finished","status":"failed"}')`,
        `INSERT INTO audience.run_figures VALUES
          ('open', 'match', 'matchCount', 5), ('open', 'match', 'rate', 1), ('open', 'other', 'size', 2)
          ON CONFLICT (run_id, step, name) DO UPDATE SET value = excluded.value`,
        `UPDATE audience.runs SET status = 'failed', finished_at = 1, executor = NULL WHERE run_id = 'open'`,
      )
      const figures = await state.runs.figures({ pipeline: 'nightly', limit: 9 })
      expect(figures.filter(({ runId }) => runId === 'open')).toEqual([
        { runId: 'open', step: 'match', name: 'matchCount', value: 5 },
        { runId: 'open', step: 'match', name: 'rate', value: 1 },
        { runId: 'open', step: 'other', name: 'size', value: 2 },
      ])
      const hours = await state.runs.countsByHour({ from: 0, to: Number.MAX_SAFE_INTEGER, pipeline: 'nightly' })
      expect(hours).toMatchObject([{ succeeded: 1, succeededInPart: 0, failed: 1, cancelled: 0 }])
      expect((await state.outbox.events(9)).map(({ kind }) => kind)).toEqual(['ended', 'ended'])
      expect(await checkDatabase(url)).toMatchObject({ ok: true, runs: 2 })
    } finally {
      await state.close()
      await remove()
    }
  })

  test('of a database or a server that is not there are an error that names it, without a password', async () => {
    const there = new URL(await newDatabase())
    const away = new URL(there)
    away.pathname = '/nobody'
    away.password = 's3cret-password'
    await expect(connect(away.href)).rejects.toMatchObject({
      ...{ code: 'state-unreachable', message: `there is no database ${there.host}/nobody` },
    })
    away.port = String(REFUSED_PORT)
    const failure = await connect(away.href).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'state-unreachable', kind: 'unavailable' })
    expect(String(failure)).toContain(`127.0.0.1:${REFUSED_PORT}/nobody`)
    expect(String(failure)).not.toContain('s3cret')
    await expect(connect('postgres://u:s3cret-password@[/x')).rejects.toMatchObject({
      ...{ code: 'state-url', message: expect.not.stringContaining('s3cret') },
    })
  })

  test('may be those of a role that has the schema and nothing else', async () => {
    const { url, remove } = await createDatabase({ migrated: false })
    try {
      const role = `role_${new URL(url).pathname.slice(1)}`
      await sql(
        url,
        'REVOKE ALL ON SCHEMA public FROM PUBLIC',
        `CREATE ROLE ${role} LOGIN`,
        `CREATE SCHEMA audience AUTHORIZATION ${role}`,
      )
      const own = new URL(url)
      own.username = role
      expect(await migrateDatabase(own.href)).toMatchObject({ from: 0 })
      await (await openPool({ url: own.href, max: 1 })).end()
    } finally {
      await remove()
    }
  })
})
