import { expect, test } from 'vitest'
import { connect } from '../../../src/state/postgres/connect.ts'
import { migrateDatabase } from '../../../src/state/postgres/migrate-database.ts'
import { DATABASE_VERSION } from '../../../src/state/postgres/migrations.ts'
import { openPool } from '../../../src/state/postgres/open-pool.ts'
import { createDatabase, describeWithPostgres, newDatabase } from '../../support/postgres.ts'
import { sql } from '../../support/sql.ts'

const REFUSED_PORT = 1

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
