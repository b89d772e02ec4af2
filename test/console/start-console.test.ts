import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startConsole } from '../../src/console/server/start-console.ts'
import { systemClock } from '../../src/platform/clock.ts'

type Deps = Parameters<typeof startConsole>[0]

/** A console that answers `here`, as soon as it may. */
function started(may: () => Promise<void> = async () => undefined) {
  return startConsole({
    settings: { hosts: [], console: { host: '127.0.0.1', port: 0, basePath: '/', tokens: [] } },
    log: { info: () => undefined },
    load: async () => ({
      async answer(_request: IncomingMessage, response: ServerResponse) {
        await may()
        response.end('here')
      },
      close: () => undefined,
    }),
    secrets: { add: () => undefined },
    tokenEnv: {},
    clock: systemClock,
  } as unknown as Deps)
}

test('a console has at most 256 connections, and room again when one has gone', async () => {
  const { url, close } = await started()
  const { port } = new URL(url)
  const open = () => {
    const socket = connect(Number(port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    return socket
  }
  /** What a new connection is told. */
  const asked = async () => {
    const socket = open()
    let told = ''
    socket.on('data', (text) => {
      told += text
    })
    socket.on('error', () => undefined)
    socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n')
    // A refused one may be reset.
    await new Promise((resolve) => socket.on('close', resolve))
    return told.includes('here')
  }
  const sockets = Array.from({ length: 256 }, open)
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  expect(await asked()).toBe(false)
  sockets[0]?.destroy()
  await expect.poll(asked).toBe(true)
  await close()
})

test('a console is closed when its answers have ended', async () => {
  const asked = Promise.withResolvers<void>()
  const may = Promise.withResolvers<void>()
  const { url, close } = await started(() => {
    asked.resolve()
    return may.promise
  })
  const answer = fetch(url, { headers: { connection: 'close' } })
  await asked.promise
  let isClosed = false
  const closing = close().then(() => {
    isClosed = true
  })
  await new Promise(setImmediate)
  expect(isClosed).toBe(false)
  may.resolve()
  expect(await (await answer).text()).toBe('here')
  await closing
})
