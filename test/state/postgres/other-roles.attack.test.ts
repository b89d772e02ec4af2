import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connect } from '../../../src/state/postgres/connect.ts'
import { migrateDatabase } from '../../../src/state/postgres/migrate-database.ts'
import { openPool } from '../../../src/state/postgres/open-pool.ts'
import { createDatabase, describeWithPostgres, newDatabase } from '../../support/postgres.ts'
import { sql } from '../../support/sql.ts'

const production = readFileSync(join(import.meta.dirname, '../../../docs/production.md'), 'utf8')

describeWithPostgres('the tables of a database', () => {
  test('are refused if another role has made them', async () => {
    const { url, remove } = await createDatabase({ migrated: false })
    try {
      const name = new URL(url).pathname.slice(1)
      const [own, other] = ['own', 'other'].map((role) => `${role}_${name}`) as [string, string]
      await sql(url, ...[own, other].map((role) => `CREATE ROLE ${role} LOGIN`))
      await sql(url, ...[own, other].map((role) => `GRANT CREATE ON DATABASE ${name} TO ${role}`))
      const as = (username: string) => Object.assign(new URL(url), { username }).href
      // A complete state that everybody can connect to.
      await migrateDatabase(as(other))
      await sql(
        as(other),
        'GRANT ALL ON SCHEMA audience TO PUBLIC',
        'GRANT ALL ON ALL TABLES IN SCHEMA audience TO PUBLIC',
      )
      const refused = {
        code: 'state-refused',
        message: expect.stringContaining(`belongs to the role ${other}, and not to ${own}`),
      }
      await expect(migrateDatabase(as(own))).rejects.toMatchObject(refused)
      await expect(openPool({ url: as(own), max: 1 })).rejects.toMatchObject(refused)
      await sql(url, `GRANT ${other} TO ${own}`)
      await (await openPool({ url: as(own), max: 1 })).end()
    } finally {
      await remove()
    }
  })

  test('are behind the right to connect: who has it can hold up work, and nobody else has it', async () => {
    const { url, remove } = await createDatabase()
    try {
      const name = new URL(url).pathname.slice(1)
      await sql(url, `CREATE ROLE locks_${name} LOGIN`)
      const theirs = Object.assign(new URL(url), { username: `locks_${name}` }).href
      // The trap: the right to connect is enough for a lock that every worker waits for.
      await sql(theirs, 'SELECT pg_advisory_lock(1)')
      const [, statement = ''] = /^(REVOKE CONNECT ON DATABASE audience FROM PUBLIC);/m.exec(production) ?? []
      await sql(url, statement.replace('DATABASE audience', `DATABASE ${name}`))
      await expect(sql(theirs, 'SELECT pg_advisory_lock(1)')).rejects.toThrow('permission denied for database')
      await (await openPool({ url, max: 1 })).end()
    } finally {
      await remove()
    }
  })

  test('are asked for by names that nobody else can take', async () => {
    const client = await connect(await newDatabase())
    expect((await client.query('SHOW search_path')).rows).toEqual([{ search_path: 'pg_catalog' }])
    await client.end()
  })
})
