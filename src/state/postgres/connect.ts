import type { Client, ClientConfig } from 'pg'
import { AudienceError } from '../../core/errors.ts'
import { packageMissing } from '../../core/package-missing.ts'
import { tried } from '../../core/tried.ts'
import { failureAt } from './database-failure.ts'
import { withPasswordOfFile } from './password-file.ts'

/** The settings of every connection. Throws `state-url`. */
export function connectionOf(url: string): ClientConfig {
  // The client's error is not kept as the cause, because it shows the URL, which may contain a password.
  if (!URL.canParse(url))
    throw new AudienceError({
      code: 'state-url',
      kind: 'invalid',
      message: 'the URL of the state is not valid',
      hint: 'write it as postgres://HOST:PORT/DATABASE, with special characters encoded as in every URL',
    })
  const connectionString = withPasswordOfFile(url)
  return {
    connectionString,
    application_name: 'audience',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    // Otherwise a function or an operator that another role added to `public` could run with the rights of this role.
    options: '-c search_path=pg_catalog',
  }
}

/**
 * Does work on one connection without time limits, because the work may take a long time. `place` names the database for
 * people. Throws the errors that `failureAt` makes.
 */
export async function withConnection<T>(url: string, work: (client: Client, place: string) => Promise<T>): Promise<T> {
  const place = databasePlace(url)
  const client = await connect(url)
  try {
    return await work(client, place)
  } catch (error) {
    throw failureAt(place, error)
  } finally {
    await client.end()
  }
}

/** One connection without time limits. Throws the errors that `failureAt` makes. */
export async function connect(url: string): Promise<Client> {
  const { default: pg } = await loadPg()
  const client = new pg.Client(connectionOf(url))
  // Without a listener, the process would end when an unused connection ends.
  client.on('error', () => {})
  try {
    await client.connect()
    return client
  } catch (error) {
    // Otherwise a connection that could not be used, for example without a password, would stay open and keep this
    // process alive.
    void client.end().catch(() => undefined)
    throw failureAt(databasePlace(url), error)
  }
}

/** Loads the PostgreSQL client. It is optional, and needed only if the state is a database. */
export async function loadPg(): Promise<typeof import('pg')> {
  try {
    return await import('pg')
  } catch (error) {
    throw packageMissing('pg', error)
  }
}

/** Names a database for people: `HOST:PORT/NAME`, without the user, the password and the options of its URL. */
export function databasePlace(url: string): string {
  if (!URL.canParse(url)) return 'the database'
  const { host, pathname, searchParams } = new URL(url)
  return `${host || searchParams.get('host') || 'localhost'}${tried(() => decodeURIComponent(pathname)) ?? pathname}`
}
