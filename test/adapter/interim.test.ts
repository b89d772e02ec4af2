import { writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import { rawServer } from './scripted-server.ts'
import { testClient } from './test-client.ts'

/** Interim answers before the answer (RFC 9110 15.2, decision 156). */

const JOB = '{"id":"7","status":"READY"}'
const answer = (text: string, status = '200 OK') =>
  `HTTP/1.1 ${status}\r\nContent-Length: ${text.length}\r\n\r\n${text}`
const interim = (...codes: number[]) =>
  codes.map((code) => `HTTP/1.1 ${code} Wait\r\nX-Step: ${code}\r\nLink: </a>; rel=preload\r\n\r\n`).join('')

/** Answers every request without a body with these bytes. */
const answering = (write: (socket: Socket) => void) => rawServer((socket) => socket.on('data', () => write(socket)))

test.each([[[100]], [[102]], [[103]], [[199]], [[100, 100]], [[103, 100, 102, 100, 103]]])(
  '%j before an answer are skipped, and the connection is used again',
  async (codes) => {
    await using server = await answering((socket) => socket.write(interim(...codes) + answer(JOB)))
    await using client = testClient(server.url, { limits: { concurrency: 1 } })
    for (const _ of [1, 2, 3]) expect(await client.api.jobs.get({ jobId: '7' })).toMatchObject({ id: '7' })
    expect(server.connections).toBe(1)
  },
)

test('they are skipped however their bytes arrive', async () => {
  await using server = await answering((socket) => {
    socket.setNoDelay(true)
    const bytes = Buffer.from(interim(100, 103) + answer(JOB))
    const next = (at: number): void => {
      if (at < bytes.length) socket.write(bytes.subarray(at, at + 7), () => setImmediate(next, at + 7))
    }
    next(0)
  })
  await using client = testClient(server.url)
  expect(await client.api.jobs.get({ jobId: '7' })).toMatchObject({ id: '7' })
})

test('a body that looks like one is a body', async () => {
  const text = JSON.stringify({ id: '7', status: 'READY', note: interim(100) })
  await using server = await answering((socket) => socket.write(answer(text)))
  await using client = testClient(server.url)
  expect(await client.api.jobs.get({ jobId: '7' })).toMatchObject({ note: interim(100) })
})

test('a refusal and a success of a write are what they are, with others before them', async () => {
  const answers = [answer('{"detail":"no"}', '400 Bad Request'), answer(JOB)]
  await using server = await answering((socket) => socket.write(interim(100) + (answers.shift() ?? '')))
  await using client = testClient(server.url)
  const match = { segmentId: 's', partnerId: 5, deliveryScopes: ['CABLE'] }
  await expect(client.api.matches.create(match)).rejects.toMatchObject({
    request: { outcome: 'rejected', status: 400 },
  })
  expect(await client.api.matches.create(match)).toMatchObject({ id: '7' })
})

test('nothing else coming after them leaves the outcome of a write open', async () => {
  await using server = await answering((socket) => socket.end(interim(100, 103)))
  await using client = testClient(server.url)
  const match = { segmentId: 's', partnerId: 5, deliveryScopes: ['CABLE'] }
  await expect(client.api.matches.create(match)).rejects.toMatchObject({ request: { outcome: 'unknown' } })
  expect(server.connections).toBe(1)
})

test.each([
  ['with the first bytes', 1],
  ['when all has arrived', 3_000_000],
])('an upload is told to go on %s, and is sent once', async (_when, atBytes) => {
  const file = join(tempFolder(), 'a.csv')
  writeFileSync(file, 'x'.repeat(3_000_000))
  await using server = await rawServer((socket) => {
    let bytes = 0
    let isTold = false
    socket.on('data', (chunk) => {
      bytes += chunk.length
      if (!isTold && bytes >= atBytes) socket.write(interim(100))
      isTold ||= bytes >= atBytes
      if (chunk.subarray(-4).toString() === '--\r\n') socket.write(answer('{"name":"a.csv"}'))
    })
  })
  await using client = testClient(server.url)
  const uploaded = await client.api.files.upload({ file, uploadSignal: 'EMAIL', resultContent: 'BGID' })
  expect([uploaded, server.connections]).toEqual([{ name: 'a.csv' }, 1])
})
