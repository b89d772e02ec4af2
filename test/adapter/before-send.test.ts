import { expect, test } from 'vitest'
import type { BeforeSend } from '../../src/adapter/api-client.ts'
import { type Reply, scriptedServer } from './scripted-server.ts'
import { testClient } from './test-client.ts'

const SEGMENT = { id: 'a0000000-0000-4000-8000-000000000001' }
const created: Reply = { json: { jobId: '7' } }
const refusal = new Error('another process works on this run now')

/** Every way in which an owner can answer: immediately, or after a while. `allow` throws to refuse. */
const guards: Record<string, (allow: () => void) => BeforeSend> = {
  'at once': (allow) => () => {
    allow()
  },
  'after a while': (allow) => async () => {
    await new Promise((resolve) => setTimeout(resolve, 1))
    allow()
    return () => true
  },
}

for (const [name, guard] of Object.entries(guards)) {
  test(`nothing is sent where a guard that answers ${name} refuses, and reads are not asked about`, async () => {
    await using server = await scriptedServer(({ method }) =>
      method === 'GET' ? { json: { id: '7', status: 'READY' } } : created,
    )
    await using client = testClient(server.url)
    const guarded = client.api.guardedBy(
      guard(() => {
        throw refusal
      }),
    )
    await guarded.jobs.get({ jobId: '7' })
    // Once on an open connection, and once on a new client without one.
    await using fresh = testClient(server.url)
    for (const api of [
      guarded,
      fresh.api.guardedBy(
        guard(() => {
          throw refusal
        }),
      ),
    ]) {
      await expect(api.segments.refresh({ id: SEGMENT.id, segmentFileName: 'f.csv' })).rejects.toBe(refusal)
      await expect(api.segments.delete({ id: SEGMENT.id })).rejects.toBe(refusal)
    }
    expect(server.seen.map(({ method }) => method)).toEqual(['GET'])
    // The client still works: a refused call gives its place back.
    await client.api.jobs.get({ jobId: '7' })
  })

  test(`a guard that answers ${name} is asked after every wait: before each repetition too`, async () => {
    await using server = await scriptedServer([{ status: 429, headers: { 'retry-after': '1' } }, created])
    await using client = testClient(server.url, { limits: { requestsPerSecond: 1 } })
    let isOwner = true
    const api = client.api.guardedBy(
      guard(() => {
        if (!isOwner) throw refusal
        expect(server.seen).toHaveLength(0)
      }),
    )
    const call = api.segments.refresh({ id: SEGMENT.id, segmentFileName: 'f.csv' })
    while (server.seen.length === 0) await new Promise((resolve) => setImmediate(resolve))
    isOwner = false
    await expect(call).rejects.toBe(refusal)
    expect(server.seen).toHaveLength(1)
  })
}

test('a guard is asked again when the connection is there', async () => {
  await using server = await scriptedServer([created])
  await using client = testClient(server.url)
  let asked = 0
  const api = client.api.guardedBy(() => {
    asked += 1
    // The caller is the owner when the call is ready, but no longer when the connection is ready.
    if (asked > 1) throw refusal
  })
  await expect(api.segments.refresh({ id: SEGMENT.id, segmentFileName: 'f.csv' })).rejects.toBe(refusal)
  expect(server.seen).toEqual([])
})

test('an answer that came over a network must still hold when the connection is there; if not, the guard is asked again', async () => {
  await using server = await scriptedServer([{ status: 204 }])
  await using client = testClient(server.url)
  const answers = [false, true]
  let asked = 0
  const api = client.api.guardedBy(async () => {
    const holds = answers[asked]
    asked += 1
    return () => {
      expect(server.seen).toEqual([])
      return holds === true
    }
  })
  await api.segments.delete({ id: SEGMENT.id })
  expect(asked).toBe(2)
  expect(server.seen).toHaveLength(1)
})
