import { execFileSync } from 'node:child_process'
import { chownSync, copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test, vi } from 'vitest'
import { readDatabaseUrl } from '../../../src/config/database-url.ts'
import { connect } from '../../../src/state/postgres/connect.ts'
import { createDatabase, describeWithPostgres } from '../../support/postgres.ts'
import { sql } from '../../support/sql.ts'
import { CLUSTER_FOLDER } from '../../support/start-postgres.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const PASSWORD = 'never-shown-9'

/** An authority, a certificate for a server at `localhost`, and one for a client, as `NAME.crt` and `NAME.key`. */
function makeCertificates(folder: string, role: string): void {
  const openssl = (...args: readonly string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
  const key = (name: string) => [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    `${name}.key`,
  ]
  const make = (name: string, subject: string, ...more: readonly string[]) =>
    openssl('req', '-x509', ...key(name), '-days', '2', '-subj', `/CN=${subject}`, '-out', `${name}.crt`, ...more)
  const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-addext', 'basicConstraints=critical,CA:FALSE']
  make('ca', 'authority')
  make('server', 'localhost', ...signed, '-addext', 'subjectAltName=DNS:localhost')
  make('client', role, ...signed)
}

/**
 * From now on, the cluster of the tests uses TLS, and requires a certificate from one role and a password from the
 * other.
 */
async function secure(cluster: string, folder: string, roles: { cert: string; password: string }): Promise<void> {
  const data = readFileSync(join(inject('sharedFolder'), CLUSTER_FOLDER, 'data'), 'utf8')
  for (const file of ['ca.crt', 'server.crt', 'server.key']) {
    copyFileSync(join(folder, file), join(data, file))
    const { uid, gid } = statSync(data)
    chownSync(join(data, file), uid, gid)
  }
  const rules = join(data, 'pg_hba.conf')
  const own = `hostssl all ${roles.cert} all cert\nhost all ${roles.password} all scram-sha-256\n`
  writeFileSync(rules, own + readFileSync(rules, 'utf8'))
  const settings = { ssl_ca_file: 'ca.crt', ssl_cert_file: 'server.crt', ssl_key_file: 'server.key', ssl: 'on' }
  for (const [name, value] of Object.entries(settings)) await sql(cluster, `ALTER SYSTEM SET ${name} = '${value}'`)
  await sql(
    cluster,
    `CREATE ROLE ${roles.cert} LOGIN`,
    `CREATE ROLE ${roles.password} LOGIN PASSWORD '${PASSWORD}'`,
    'SELECT pg_reload_conf()',
  )
}

describeWithPostgres('a database with TLS', () => {
  vi.setConfig({ testTimeout: 60_000 })

  test('is reached as safely as the URL says, and each refusal names what to do', async () => {
    const { url, remove } = await createDatabase()
    const folder = tempFolder()
    const name = new URL(url).pathname.slice(1)
    const roles = { cert: `cert_${name}`, password: `pass_${name}` }
    makeCertificates(folder, roles.cert)
    await secure(url, folder, roles)
    /** The result of a connection to `host` with these options: `works`, or the code and the hint of the error. */
    const outcome = async (role: string, host: string, options: Record<string, string> = {}) => {
      const asked = new URL(`${url}?${new URLSearchParams(options)}`)
      asked.hostname = host
      asked.username = role
      const database = readDatabaseUrl(asked.href, folder)
      if ('message' in database) return database.message
      try {
        const client = await connect(database.url)
        const { rows } = await client.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')
        await client.end()
        return rows[0].ssl ? 'safe' : 'open'
      } catch (error) {
        const { code, message, hint } = error as { code: string; message: string; hint: string }
        expect(message + hint).not.toContain(PASSWORD)
        return `${code}: ${message}; ${hint}`
      }
    }
    const verified = { sslmode: 'verify-full', sslrootcert: 'ca.crt' }
    const bench = new URL(url).username
    // The server reads its files again a moment later.
    await expect.poll(() => outcome(bench, 'localhost', verified)).toBe('safe')
    expect(await outcome(bench, 'localhost')).toBe('open')
    expect(await outcome(bench, 'localhost', { sslmode: 'require' })).toBe('safe')
    expect(await outcome(bench, '127.0.0.1', { ...verified, sslmode: 'verify-ca' })).toBe('safe')
    expect(await outcome(bench, '127.0.0.1', verified)).toMatch(/^state-tls: .*host name of the certificate/s)
    expect(await outcome(bench, 'localhost', { sslmode: 'verify-full' })).toMatch(/^state-tls: .*sslrootcert/s)
    expect(await outcome(roles.cert, 'localhost', verified)).toMatch(/^state-refused: .*sslcert and sslkey/s)
    const own = { sslcert: 'client.crt', sslkey: 'client.key' }
    expect(await outcome(roles.cert, 'localhost', { ...verified, ...own })).toBe('safe')
    expect(await outcome(roles.password, 'localhost')).toMatch(/^state-refused: .*asks for a password, but none is set/)
    expect(await outcome(roles.password, 'localhost', { ...verified, password: 'other' })).toMatch(
      /^state-refused: .*password authentication failed.*PGPASSFILE/s,
    )
    const passfile = join(folder, 'pgpass')
    writeFileSync(passfile, `localhost:*:*:${roles.password}:${PASSWORD}\n`, { mode: 0o600 })
    vi.stubEnv('PGPASSFILE', passfile)
    expect(await outcome(roles.password, 'localhost', verified)).toBe('safe')
    vi.stubEnv('PGPASSFILE', '/nowhere')
    vi.stubEnv('PGPASSWORD', PASSWORD)
    expect(await outcome(roles.password, 'localhost')).toBe('open')
    vi.unstubAllEnvs()
    expect(await outcome('nobody', 'localhost')).toMatch(/^state-refused: .*does not exist.*create it/s)
    await sql(url, `DROP ROLE ${roles.cert}`, `DROP ROLE ${roles.password}`)
    await remove()
  })
})
