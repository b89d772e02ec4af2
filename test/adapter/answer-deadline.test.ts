import { writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import { rawServer } from './scripted-server.ts'
import { type TestClient, testClient } from './test-client.ts'

/** Answers that never end, in whatever way: a write is open then, and nothing waits for ever. */

const match = { segmentId: 's', partnerId: 5, deliveryScopes: ['CABLE'] }
const JOB = '{"id":"7","status":"READY"}'
const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`

/** Sends a beginning, and then the same for ever: a little now and then, or as much as is taken. */
interface Endless {
  readonly begin?: string
  readonly next: string
  readonly everyMs?: number
}

const SLOW: Record<string, Endless> = {
  'no byte at all': { next: '', everyMs: 1000 },
  'the words of a status line': { begin: 'HTTP/1.1 200 ', next: 'OK ', everyMs: 20 },
  'header fields': { begin: OK, next: 'x: y\r\n', everyMs: 20 },
  'one long header field': { begin: `${OK}x: `, next: 'y', everyMs: 20 },
  '1xx answers': { next: 'HTTP/1.1 103 Early Hints\r\n\r\n', everyMs: 20 },
  'a body that the end of the connection ends': { begin: `${OK}\r\n`, next: ' ', everyMs: 20 },
  'a body with a length': { begin: `${OK}content-length: 1000000\r\n\r\n`, next: ' ', everyMs: 20 },
  'small chunks': { begin: CHUNKED, next: '1\r\n \r\n', everyMs: 20 },
  'an extension of a chunk': { begin: `${CHUNKED}1;`, next: 'a', everyMs: 20 },
  trailers: { begin: `${CHUNKED}0\r\n`, next: 'x: y\r\n', everyMs: 20 },
}

const FLOODS: Record<string, Endless> = {
  '1xx answers': { next: 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(1000) },
  'an extension of a chunk': { begin: `${CHUNKED}1;`, next: 'a'.repeat(65_536) },
  'chunks of a byte': { begin: CHUNKED, next: '1\r\n \r\n'.repeat(10_000) },
}

/** The first request on a connection is answered. */
function endless({ begin = '', next, everyMs = 0 }: Endless): (socket: Socket) => void {
  return (socket) => {
    let requests = 0
    socket.on('data', async () => {
      requests += 1
      if (requests === 1) return void socket.write(`${OK}content-length: ${JOB.length}\r\n\r\n${JOB}`)
      socket.write(begin)
      for (; !socket.destroyed; ) {
        if (socket.writableNeedDrain) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
        else if (next !== '') socket.write(next)
        await sleep(everyMs)
      }
    })
  }
}

function once(socket: Socket, event: string): Promise<void> {
  return new Promise((resolve) => void socket.once(event, () => resolve()))
}

/** Its next request goes out at once, on a connection that is there. */
async function warmClient(url: string, limits: object): Promise<TestClient> {
  const client = testClient(url, { limits: { concurrency: 1, retry: { maxAttempts: 1 }, ...limits } })
  await client.api.jobs.get({ jobId: '7' })
  return client
}

const outcomeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: { request?: { outcome: string } }) => error.request?.outcome ?? String(error),
  )

const both = async (way: Endless, limits: object) => {
  await using server = await rawServer(endless(way))
  await using writing = await warmClient(server.url, limits)
  await using reading = await warmClient(server.url, limits)
  return await Promise.all([
    outcomeOf(writing.api.matches.create(match)),
    reading.api.jobs.get({ jobId: '7' }).catch((reason: unknown) => String(reason)),
  ])
}

test.each(Object.entries(SLOW))(
  '%s, a few now and then, end at the deadline, and a write is open',
  async (_name, way) => {
    expect(await both(way, { answerTimeoutMs: 200 })).toEqual([
      'unknown',
      expect.stringMatching(/ complete after 0\.2 s/),
    ])
  },
)

test.each(Object.entries(FLOODS))('a flood of %s ends at a size, and a write is open', async (_name, way) => {
  expect(await both(way, {})).toEqual(['unknown', expect.stringContaining('larger than the limit')])
})

test('an upload that takes longer than the deadline goes on while parts of it go out', async () => {
  const file = join(tempFolder(), 'a.csv')
  writeFileSync(file, 'x'.repeat(60_000_000))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  let passedMs = 0
  await using server = await rawServer((socket) => {
    socket.on('data', (chunk) => {
      // What the system keeps between the two is handed over before this time goes by.
      const ms = chunk.length / 200
      passedMs += ms
      vi.advanceTimersByTime(ms)
      if (chunk.subarray(-4).toString() === '--\r\n') {
        socket.write(`${OK}content-length: 16\r\n\r\n{"name":"a.csv"}`)
      }
    })
  })
  await using client = testClient(server.url)
  const uploaded = await client.api.files.upload({ file, uploadSignal: 'EMAIL', resultContent: 'BGID' })
  expect([uploaded, server.connections]).toEqual([{ name: 'a.csv' }, 1])
  expect(passedMs).toBeGreaterThan(240_000)
})

test('an upload that nobody takes ends at the deadline, whatever 1xx answers come', async () => {
  const file = join(tempFolder(), 'a.csv')
  writeFileSync(file, 'x'.repeat(30_000_000))
  await using server = await rawServer((socket) => {
    socket.pause()
    const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 20)
    socket.on('close', () => clearInterval(timer))
  })
  await using client = testClient(server.url, { limits: { answerTimeoutMs: 300, retry: { maxAttempts: 1 } } })
  const upload = client.api.files.upload({ file, uploadSignal: 'EMAIL', resultContent: 'BGID' })
  // Not all of it went out, so the service has no file.
  expect(await outcomeOf(upload)).toBe('notSent')
})

test('no warning of Node is written, however the answer comes', async () => {
  const warnings: Error[] = []
  const note = (warning: Error) => warnings.push(warning)
  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  await using server = await rawServer(endless({ next: 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100) }))
  await using client = testClient(server.url, { limits: { answerTimeoutMs: 100, concurrency: 4 } })
  await Promise.all(Array.from({ length: 12 }, () => outcomeOf(client.api.jobs.get({ jobId: '7' }))))
  expect(warnings).toEqual([])
})
