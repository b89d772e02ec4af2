import { Socket } from 'node:net'
import type { Client, ClientConfig, Pool, PoolClient } from 'pg'
import { connectionOf, databasePlace, loadPg } from './connect.ts'
import { failureAt, READ_ONLY_SERVER, sqlStateOf } from './database-failure.ts'
import { requireOwners, requireVersion } from './migrate-database.ts'

/** A statement that takes longer than this is cancelled, because something is wrong with the database. */
const STATEMENT_MS = 30_000
/** If a process hangs within a transaction, its locks are released after this time. */
const IDLE_IN_TRANSACTION_MS = 10_000
const READ_ONLY = 'SET default_transaction_read_only = on'

export interface PoolOptions {
  url: string
  /** The maximum number of connections. */
  max: number
  /** Makes the database itself refuse writes. */
  readOnly?: true
}

/**
 * Opens connections to a migrated state. Throws `state-not-migrated`, `state-too-new`, and the errors that `failureAt`
 * makes.
 */
export async function openPool({ url, max, readOnly }: PoolOptions): Promise<Pool> {
  const { default: pg } = await loadPg()
  const sockets = new Set<Socket>()
  const clients = new Set<PoolClient>()
  /**
   * Closes all connections when one of them reports that its server no longer accepts writes. The others lead to the
   * same server and may not have heard of this yet.
   */
  const leaveAll = () => {
    const known = [...clients]
    clients.clear()
    for (const client of known) closeNow(client)
  }
  // The file with the password is read for each connection.
  class Client extends pg.Client {
    constructor(config?: ClientConfig) {
      super({ ...config, ...connectionOf(url) })
      if (!readOnly) leaveFormerPrimary(this, leaveAll)
    }
  }
  const pool = new pg.Pool({
    ...connectionOf(url),
    Client,
    stream() {
      const socket = new Socket()
      sockets.add(socket)
      return socket.once('close', () => sockets.delete(socket))
    },
    max,
    statement_timeout: STATEMENT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    // The pool waits for this before it hands out the connection.
    onConnect: readOnly ? (client) => client.query(READ_ONLY) : undefined,
  })
  // Without these listeners an outage of the database would end the process, even if no connection is in use.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    clients.add(client)
  })
  pool.on('remove', (client) => clients.delete(client))
  try {
    if (!readOnly) await requireOwners(pool, databasePlace(url))
    await requireVersion(pool, databasePlace(url))
    return pool
  } catch (error) {
    await pool.end()
    // After some failures, such as a missing password, the client leaves its connection open, and this process would
    // not end.
    for (const socket of sockets) socket.destroy()
    throw failureAt(databasePlace(url), error)
  }
}

/**
 * One of these settings is on while a server is a standby or is fenced for a switchover. Since PostgreSQL 14, the
 * server reports each change to them.
 */
const READ_ONLY_SETTINGS = new Set(['default_transaction_read_only', 'in_hot_standby'])
/**
 * 25006: the transaction is read-only. 57P01 to 57P04: the server stops, has crashed, starts, or no longer has the
 * database.
 */
const LEAVING = /^(25006|57P0[1-4])$/

/**
 * Closes a connection and calls `left` when its server stops accepting writes. The server may keep the connection open
 * forever, and its results may be out of date. So a result that arrives together with this report counts as lost. Work
 * that is repeated gets a new connection: the host name, the proxy or the load balancer in the URL leads to the new
 * primary.
 */
function leaveFormerPrimary(client: Client, left: () => void): void {
  const leave = (reason: unknown) => {
    closeNow(client, reason)
    left()
  }
  // These listeners come before the client's own, which would pass the result on.
  client.connection.prependListener('parameterStatus', ({ parameterName, parameterValue }) => {
    if (READ_ONLY_SETTINGS.has(parameterName) && parameterValue === 'on') leave(readOnlyServer())
  })
  client.connection.prependListener('errorMessage', (message) => {
    const code = sqlStateOf(message)
    if (LEAVING.test(code)) leave(code === '25006' ? readOnlyServer() : message)
  })
}

/** Closes a connection immediately. Its statements fail with this reason, and the pool no longer hands it out. */
function closeNow({ connection }: Client, reason: unknown = readOnlyServer()): void {
  connection.emit('error', reason)
  connection.stream.destroy()
}

/** DBOS repeats a statement if the error message begins like this one. */
function readOnlyServer(): Error {
  const message =
    'Connection terminated unexpectedly: that server takes no writes because it is a standby or a former primary'
  return Object.assign(new Error(message), { code: READ_ONLY_SERVER })
}
