import { writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { SteadyClock } from '../../src/core/clock.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { fakeClock } from './fake-clock.ts'
import { ownDeadlines } from './own-deadlines.ts'
import { rawServer } from './scripted-server.ts'
import { testClient } from './test-client.ts'

/** Answers that never end, whatever they send: the outcome of a write is then unknown, and nothing waits forever. */

const match = { segmentId: 's', partnerId: 5, deliveryScopes: ['CABLE'] }
const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`

/** Sends a beginning, and then repeats a text forever. */
interface Endless {
  readonly begin?: string
  readonly next: string
}

const SLOW: Record<string, Endless> = {
  'no byte at all': { next: '' },
  'the words of a status line': { begin: 'HTTP/1.1 200 ', next: 'OK ' },
  'header fields': { begin: OK, next: 'x: y\r\n' },
  'one long header field': { begin: `${OK}x: `, next: 'y' },
  '1xx answers': { next: 'HTTP/1.1 103 Early Hints\r\n\r\n' },
  'a body that the end of the connection ends': { begin: `${OK}\r\n`, next: ' ' },
  'a body with a length': { begin: `${OK}content-length: 1000000\r\n\r\n`, next: ' ' },
  'small chunks': { begin: CHUNKED, next: '1\r\n \r\n' },
  'an extension of a chunk': { begin: `${CHUNKED}1;`, next: 'a' },
  trailers: { begin: `${CHUNKED}0\r\n`, next: 'x: y\r\n' },
}

const FLOODS: Record<string, Endless> = {
  '1xx answers': { next: 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(1000) },
  'an extension of a chunk': { begin: `${CHUNKED}1;`, next: 'a'.repeat(65_536) },
  'chunks of a byte': { begin: CHUNKED, next: '1\r\n \r\n'.repeat(10_000) },
}

const outcomeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: { request?: { outcome: string } }) => error.request?.outcome ?? String(error),
  )

/** The results of a write and of a read, while `flow` sends on the connection of each. */
async function both(
  flow: (socket: Socket) => void,
  clock: SteadyClock = fakeClock(),
): Promise<readonly [write: string, read: string]> {
  await using server = await rawServer((socket) => socket.once('data', () => flow(socket)))
  await using client = testClient(server.url, { clock, limits: { retry: { maxAttempts: 1 } } })
  return await Promise.all([
    outcomeOf(client.api.matches.create(match)),
    client.api.jobs.get({ jobId: '7' }).then(String, String),
  ])
}

test.each(Object.entries(SLOW))('%s, one every ten seconds, end, and a write is open', async (_name, way) => {
  const deadlines = ownDeadlines()
  const sockets: Socket[] = []
  const ends = both((socket) => {
    socket.write(way.begin ?? '')
    sockets.push(socket)
  }, deadlines.clock)
  let isOver = false
  void ends.finally(() => {
    isOver = true
  })
  while (!isOver) {
    if (sockets.length === 2) deadlines.advance(10_000)
    for (const socket of sockets) if (way.next !== '' && !socket.destroyed) socket.write(way.next)
    for (let turn = 0; turn < 5; turn += 1) await setImmediate()
  }
  expect(await ends).toEqual(['unknown', expect.stringContaining(' complete after 2 min 00 s')])
})

const STATUSES = ['000', '0', '99', '099', '101', '199', '600', '999', '1000', '99999', '-20', '2OO', '20', 'OK', '']
const RESTS = [
  '\r\n',
  '\r\n\r\n',
  '\r\ncontent-length: 2\r\n\r\n{}',
  '\r\ncontent-length: 9\r\n\r\n{}',
  '\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
]

test.each(STATUSES)(
  'the status %j with whatever after it, and the connection left open: a write is open',
  async (status) => {
    const deadlines = ownDeadlines()
    for (const rest of RESTS) {
      let isOver = false
      let asked = 0
      const ends = both((socket) => {
        asked += 1
        socket.write(`HTTP/1.1 ${status} X${rest}`)
      }, deadlines.clock)
      void ends.finally(() => {
        isOver = true
      })
      while (!isOver) {
        if (asked === 2) deadlines.advance(10_000)
        for (let turn = 0; turn < 50; turn += 1) await setImmediate()
      }
      const [write, read] = await ends
      expect([rest, write, read]).toEqual([rest, 'unknown', expect.not.stringMatching(/assert|falsy/)])
    }
  },
)

test.each(Object.entries(FLOODS))('a flood of %s ends at a size, and a write is open', async (_name, way) => {
  const flow = async (socket: Socket) => {
    socket.write(way.begin ?? '')
    while (!socket.destroyed) {
      if (!socket.writableNeedDrain) socket.write(way.next)
      await setImmediate()
    }
  }
  expect(await both((socket) => void flow(socket))).toEqual([
    'unknown',
    expect.stringContaining('larger than the limit'),
  ])
})

test('an upload that takes longer than the deadline goes on while parts of it go out', async () => {
  const file = join(tempFolder(), 'a.csv')
  writeFileSync(file, 'x'.repeat(60_000_000))
  const deadlines = ownDeadlines()
  let passedMs = 0
  await using server = await rawServer((socket) => {
    socket.on('data', (chunk) => {
      // The system delivers what it buffers between the two before this time has passed.
      const ms = chunk.length / 200
      passedMs += ms
      deadlines.advance(ms)
      if (chunk.subarray(-4).toString() === '--\r\n') {
        socket.write(`${OK}content-length: 16\r\n\r\n{"name":"a.csv"}`)
      }
    })
  })
  await using client = testClient(server.url, { clock: deadlines.clock })
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
  // The request was not sent completely, so the service has no file.
  expect(await outcomeOf(upload)).toBe('notSent')
})

test('no warning of Node is written for a flood of 1xx answers', async () => {
  const warnings: Error[] = []
  const note = (warning: Error) => warnings.push(warning)
  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  await using server = await rawServer((socket) =>
    socket.on('data', () => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(500), () => socket.end())),
  )
  await using client = testClient(server.url, { limits: { concurrency: 4 } })
  await Promise.all(Array.from({ length: 12 }, () => outcomeOf(client.api.jobs.get({ jobId: '7' }))))
  expect(warnings).toEqual([])
})
