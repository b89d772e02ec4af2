import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startConsole } from '../../src/console/server/start-console.ts'
import { systemClock } from '../../src/platform/clock.ts'

type Deps = Parameters<typeof startConsole>[0]

/** A console that answers `here` as soon as it is ready. */
function started(
  may: () => Promise<void> = async () => undefined,
  {
    error,
    loading,
    console,
  }: {
    readonly error?: (facts: object) => void
    readonly loading?: () => Promise<void>
    readonly console?: object
  } = {},
) {
  return startConsole({
    settings: { hosts: [], console: { host: '127.0.0.1', port: 0, basePath: '/', tokens: [], ...console } },
    log: { info: () => undefined, error },
    load: async () => {
      await loading?.()
      return {
        async answer(_request: IncomingMessage, response: ServerResponse) {
          await may()
          response.end('here')
        },
        close: () => undefined,
      }
    },
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
  /** The answer to a new connection. */
  const asked = async () => {
    const socket = open()
    let told = ''
    socket.on('data', (text) => {
      told += text
    })
    socket.on('error', () => undefined)
    socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n')
    // A refused connection may be reset.
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

test('a request that cannot be answered is logged without its query, and its connection is closed', async () => {
  const logged: object[] = []
  let loads = 0
  const failing = (): Promise<never> => Promise.reject(new Error('broken'))
  const { url, close } = await started(failing, {
    error: (facts) => void logged.push(facts),
    loading: () => {
      loads += 1
      return loads === 1 ? failing() : Promise.resolve()
    },
  })
  // The first request cannot load the code, and the second one tries again. From then on, answering fails.
  for (const _ of [1, 2, 3]) await expect(fetch(`${url}login?token=t`)).rejects.toThrow()
  expect(loads).toBe(2)
  expect(logged).toEqual([1, 2, 3].map(() => ({ err: expect.any(Error), path: '/login' })))
  await close()
})

test('what is no request, or has too large headers, is told so', async () => {
  const { url, close } = await started()
  const told = async (text: string) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.setEncoding('utf8').write(text)
    return String((await once(socket, 'data'))[0])
  }
  expect(await told('no request\r\n\r\n')).toMatch(
    /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*\r\n\r\nthis is not an HTTP request\n$/,
  )
  const large = `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${'x'.repeat(17_000)}\r\n\r\n`
  expect(await told(large)).toMatch(
    /^HTTP\/1\.1 431 [\s\S]*\r\n\r\nthe headers of this request have more than 16,384 bytes\n/,
  )
  await close()
})

test('an address of another machine is refused as such, also where the port is the usual one', async () => {
  for (const port of [undefined, 0])
    await expect(started(undefined, { console: { host: '192.0.2.1', port } })).rejects.toMatchObject({
      code: 'address-unusable',
    })
})
