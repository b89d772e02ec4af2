import pg from 'pg'
import { expect, test } from 'vitest'
import { failureAt } from '../../../src/state/postgres/database-failure.ts'
import { openPostgresState } from '../../../src/state/postgres/open-postgres-state.ts'
import { around } from '../../support/around.ts'
import { describeWithPostgres, newDatabase } from '../../support/postgres.ts'
import { sql } from '../../support/sql.ts'

const reported = (code: string) => Object.assign(new Error('why'), { code, severity: 'FATAL' })
const saying = (code: string, message: string) => Object.assign(reported(code), { message })
const ofSocket = (code: string) => Object.assign(new Error('why'), { code })

test.each([
  [reported('28P01'), 'state-refused', 'unavailable'],
  [new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'), 'state-refused', 'unavailable'],
  [reported('42501'), 'state-refused', 'unavailable'],
  [reported('3D000'), 'state-unreachable', 'unavailable'],
  [reported('57P01'), 'state-unreachable', 'unavailable'],
  [reported('53300'), 'state-unreachable', 'unavailable'],
  [reported('57014'), 'state-failed', 'failed'],
  [reported('23505'), 'state-failed', 'failed'],
  [ofSocket('ECONNREFUSED'), 'state-unreachable', 'unavailable'],
  [ofSocket('EPIPE'), 'state-unreachable', 'unavailable'],
  [new AggregateError([new Error('one'), new Error('other')]), 'state-unreachable', 'unavailable'],
  [new Error('The server does not support SSL connections'), 'state-tls', 'unavailable'],
  [ofSocket('DEPTH_ZERO_SELF_SIGNED_CERT'), 'state-tls', 'unavailable'],
])('%s is %s', (error, code, kind) => {
  expect(failureAt('db/audience', error)).toMatchObject({
    ...{ code, kind, message: expect.stringContaining('db/audience'), hint: expect.any(String) },
  })
})

test.each([
  [ofSocket('ECONNREFUSED'), 'nothing listens there'],
  [ofSocket('ENOTFOUND'), 'name of the host'],
  [ofSocket('EHOSTUNREACH'), 'network'],
  [new Error('timeout expired'), 'network'],
  [new Error('timeout exceeded when trying to connect'), 'slow or unreachable'],
  [reported('53300'), 'max_connections'],
  [new Error('The server does not support SSL connections'), 'ssl = on'],
  [ofSocket('CERT_HAS_EXPIRED'), 'renew'],
  [saying('28000', 'no pg_hba.conf entry for host "::1", no encryption'), 'sslmode'],
  [saying('28000', 'no pg_hba.conf entry for host "::1"'), 'allow this machine, role and database'],
  [saying('28000', 'connection requires a valid client certificate'), 'sslcert'],
  [saying('28000', 'role "ana" does not exist'), 'correct the role'],
  [saying('28P01', 'password authentication failed for user "ana"'), 'PGPASSWORD or PGPASSFILE'],
  [new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'), 'set PGPASSWORD'],
  [new Error('SASL: SCRAM-SERVER-FINAL-MESSAGE: server signature is wrong'), 'check the role'],
  [new Error('the client password must be a string'), 'check that PostgreSQL is running'],
  [reported('42501'), 'which rights'],
  [reported('3D000'), 'createdb'],
  [ofSocket('ERR_TLS_CERT_ALTNAME_INVALID'), 'host name of the certificate'],
  [ofSocket('SELF_SIGNED_CERT_IN_CHAIN'), 'sslrootcert'],
  [ofSocket('READ_ONLY_SERVER'), 'lead to the primary'],
  [ofSocket('EPIPE'), 'check that PostgreSQL is running'],
])('%s comes with what to do: %s', (error, hint) => {
  expect(failureAt('db/audience', error).hint).toContain(hint)
})

test('an error that is for people already stays as it is', () => {
  const own = failureAt('db/audience', reported('3D000'))
  expect(failureAt('db/other', own)).toBe(own)
})

describeWithPostgres('a pool whose connections are all in use', () => {
  test('says so', async () => {
    const pool = new pg.Pool({ connectionString: await newDatabase(), max: 1 })
    // `end` does not wait until the connection is closed, and the removal of the database may still end it.
    pool.on('error', () => undefined)
    const client = await pool.connect()
    pool.options.connectionTimeoutMillis = 1
    const failure = await pool.connect().catch((error: unknown) => failureAt('db/audience', error))
    client.release()
    await pool.end()
    expect(failure).toMatchObject({ code: 'state-unreachable', message: expect.stringContaining('are in use') })
  })
})

describeWithPostgres('a process whose connections the database ends', () => {
  test('goes on, and works with the database again', async () => {
    const url = await newDatabase()
    const state = await openPostgresState({ url, redact: (text) => text, ...around })
    const within = state.db.transaction(async (query) => {
      await query('SELECT 1')
      await endConnections(url)
      await query('SELECT 1')
    })
    await expect(within).rejects.toMatchObject({ code: 'state-unreachable' })
    await state.ping().catch(() => undefined)
    await endConnections(url)
    await expect.poll(() => state.ping().then(() => 'works')).toBe('works')
    await state.close()
  })
})

function endConnections(url: string): Promise<void> {
  return sql(
    url,
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  )
}
