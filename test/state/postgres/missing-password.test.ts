import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { connect } from '../../../src/state/postgres/connect.ts'
import { openPool } from '../../../src/state/postgres/open-pool.ts'

/** A server that requires a password, like PostgreSQL with SCRAM. */
async function startServer() {
  const server = createServer((socket) => {
    const answers = [message(10, 'SCRAM-SHA-256\0\0'), message(11, 'r=nonce')]
    socket.on('data', () => socket.write(answers.shift() ?? ''))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { server, url: `postgres://audience@127.0.0.1:${(server.address() as AddressInfo).port}/audience` }
}

/** A message about authentication. */
function message(kind: number, text: string): Buffer {
  const head = Buffer.alloc(9)
  head.write('R')
  head.writeInt32BE(8 + text.length, 1)
  head.writeInt32BE(kind, 5)
  return Buffer.concat([head, Buffer.from(text)])
}

test.each([
  ['a pool', (url: string) => openPool({ url, max: 1 })],
  ['a connection', connect],
])('%s without the password that the server asks for is refused, and leaves no connection open', async (_, open) => {
  const { server, url } = await startServer()
  const connected = once(server, 'connection') as Promise<[Socket]>
  await expect(open(url)).rejects.toMatchObject({ code: 'state-refused', hint: expect.stringContaining('PGPASSWORD') })
  const [socket] = await connected
  if (!socket.destroyed) await once(socket, 'close')
})
