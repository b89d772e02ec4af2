import { expect, onTestFinished, test } from 'vitest'
import { createDatabase } from '../../../src/state/postgres/database.ts'
import { openPool } from '../../../src/state/postgres/open-pool.ts'
import { openReadableDatabase } from '../../../src/state/postgres/open-postgres-state.ts'
import { around } from '../../support/around.ts'
import { describeWithPostgres, newDatabase } from '../../support/postgres.ts'
import { sql, sqlRows } from '../../support/sql.ts'

const LEFT = { code: 'state-unreachable', message: expect.stringContaining('takes no writes') }
const WRITE = "INSERT INTO audience.checkpoints (name, value) VALUES ('here', 1)"

/** Three connections, all open and idle. */
async function openThree() {
  const url = await newDatabase()
  const pool = await openPool({ url, max: 3 })
  onTestFinished(() => pool.end())
  const clients = await Promise.all([pool.connect(), pool.connect(), pool.connect()])
  const pids = await Promise.all(clients.map(pidOf))
  for (const client of clients) client.release()
  /** Whether new connections have replaced all three. */
  const expectLeft = async () => {
    expect(pids).not.toContain(await pidOf(pool))
    const open = 'SELECT pid FROM pg_stat_activity WHERE pid = ANY ($1::int[])'
    await expect.poll(() => sqlRows(url, open, pids)).toEqual([])
  }
  return { url, pool, db: createDatabase(pool, 'db/audience'), pids, expectLeft }
}

type Queryable = { query(text: string): Promise<{ rows: { pid: number }[] }> }

async function pidOf(connection: Queryable): Promise<number> {
  const { rows } = await connection.query('SELECT pg_backend_pid() AS pid')
  return rows[0]?.pid ?? 0
}

describeWithPostgres('connections for work that lead to a server without writes', () => {
  test('a write in a transaction that is refused closes all of them', async () => {
    const { url, db, expectLeft } = await openThree()
    // The server does not report this, as behind a proxy that hides it.
    const write = db.transaction(async (query) => {
      await query('SET TRANSACTION READ ONLY')
      await query(WRITE)
    })
    await expect(write).rejects.toMatchObject(LEFT)
    await expectLeft()
    await db.query(WRITE)
    expect(await sqlRows(url, 'SELECT value FROM audience.checkpoints')).toHaveLength(1)
  })

  test('what is read as the server stops taking writes counts as lost', async () => {
    const { db, expectLeft } = await openThree()
    // Like a fenced primary: it reports the change with the answer to the next statement.
    const read = db.query("SELECT set_config('default_transaction_read_only', 'on', false)")
    await expect(read).rejects.toMatchObject(LEFT)
    await expectLeft()
  })

  test('a transaction on another connection ends, too', async () => {
    const { pool, db, expectLeft } = await openThree()
    const other = await pool.connect()
    await other.query('BEGIN')
    await expect(db.query("SELECT set_config('default_transaction_read_only', 'on', false)")).rejects.toThrow()
    await expect(other.query('COMMIT')).rejects.toThrow()
    other.release()
    await expectLeft()
  })

  test('a server that ends closes them', async () => {
    const { url, db, pids, expectLeft } = await openThree()
    const slow = expect(db.transaction((query) => query('SELECT pg_sleep(300)'))).rejects.toMatchObject({
      code: 'state-unreachable',
    })
    const ends = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = ANY ($1::int[]) AND state = $2'
    await expect.poll(() => sqlRows(url, ends, pids, 'active')).toHaveLength(1)
    await slow
    await expectLeft()
  })

  test('work does not begin there, and reading does', async () => {
    const url = await newDatabase()
    const name = new URL(url).pathname.slice(1)
    await sql(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    await expect(openPool({ url, max: 1 })).rejects.toMatchObject({
      ...LEFT,
      hint: expect.stringContaining('lead to the primary'),
    })
    const state = await openReadableDatabase(url, around)
    expect((await state.runs.page({ limit: 1 })).rows).toEqual([])
    await state.close()
  })
})
