import type { Client } from 'pg'
import { READ_ONLY_SERVER, sqlStateOf } from './database-failure.ts'

/** A server has one of them on while it is a standby or is fenced for a switchover, and tells of each change (since PostgreSQL 14). */
const READ_ONLY = new Set(['default_transaction_read_only', 'in_hot_standby'])
/** 25006: the transaction is read-only. 57P01 to 57P04: the server ends, has crashed, begins, or no longer has the database. */
const LEAVING = /^(25006|57P0[1-4])$/

/**
 * Closes a connection for work, and calls `left`, once its server takes no writes. The server may keep it open for ever, and
 * what it answers may be old. So an answer that comes with this news counts as lost. What is repeated gets a new connection:
 * the name, the proxy or the load balancer in the URL leads it to the primary.
 */
export function leaveFormerPrimary(client: Client, left: () => void): void {
  const leave = (reason: unknown) => {
    closeNow(client, reason)
    left()
  }
  // Before the client's own listeners, which would pass the answer on.
  client.connection.prependListener('parameterStatus', ({ parameterName, parameterValue }) => {
    if (READ_ONLY.has(parameterName) && parameterValue === 'on') leave(readOnlyServer())
  })
  client.connection.prependListener('errorMessage', (message) => {
    const code = sqlStateOf(message)
    if (LEAVING.test(code)) leave(code === '25006' ? readOnlyServer() : message)
  })
}

/** Its statements fail for this reason, and the pool gives it to nobody any more. */
export function closeNow({ connection }: Client, reason: unknown = readOnlyServer()): void {
  connection.emit('error', reason)
  connection.stream.destroy()
}

/** DBOS repeats what fails with a message that begins so. */
function readOnlyServer(): Error {
  const message = 'Connection terminated unexpectedly: that server takes no writes, it is a standby or a former primary'
  return Object.assign(new Error(message), { code: READ_ONLY_SERVER })
}
