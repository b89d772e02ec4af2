import { describe, expect, test } from 'vitest'
import { ApiError } from '../../src/adapter/api-error.ts'
import type { Job } from '../../src/contract/job.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { endWork, sendWork, workOn } from '../../src/steps/segment-work.ts'
import { stillService } from './support/still-service.ts'

const HERE = { runId: 'r' }
const service = (...jobs: readonly Job[]) => stillService({ jobs })

/**
 * Sends work on a segment in run `by`. Returns what the runs `r` and `other` know about the work while it is sent and
 * afterwards.
 */
async function work(answer: JsonObject | Error, by = 'r', at = service()) {
  const look = async (runId: string) => (await workOn('autos', { runId }, at)).state
  const meanwhile: string[] = []
  const send = async () => {
    meanwhile.push(await look('r'), await look('other'))
    if (answer instanceof Error) throw answer
    return { answer } as never
  }
  const step = { context: { runId: by, signal: at.signal }, services: at } as unknown as Parameters<typeof sendWork>[2]
  const end = await sendWork('autos', send, step).catch((error: unknown) => error)
  return { end, meanwhile, afterwards: [await look('r'), await look('other')] }
}

test('nothing is at work on a segment of which nothing is remembered', async () => {
  expect(await workOn('autos', HERE, service())).toEqual({ state: 'none' })
})

test('while it is sent, other runs do not know whether it was, and this one does', async () => {
  const { end, meanwhile } = await work({ id: '5' })
  expect(end).toEqual({ answer: { id: '5' } })
  expect(meanwhile).toEqual(['none', 'unknown'])
})

const request = { operation: 'segments.create', method: 'POST', path: '/api/segments' }
const failed = (outcome: 'rejected' | 'notSent' | 'unknown') =>
  new ApiError(request, { code: 'service-error', outcome, status: 503 })

test.each([
  ['has not happened', failed('rejected'), 'none'],
  ['was not sent', failed('notSent'), 'none'],
  ['may have happened', failed('unknown'), 'unknown'],
  ['failed here', new Error('the disk is full'), 'unknown'],
])('work that %s', async (_, error, toOthers) => {
  const { end, afterwards } = await work(error)
  expect(end).toBe(error)
  expect(afterwards).toEqual(['none', toOthers])
})

test('an answer without a job leaves it open for other runs', async () => {
  expect((await work({ segmentId: 's' })).afterwards).toEqual(['none', 'unknown'])
})

test('work that may have happened is known with the time of its end, unless its run was stopped', async () => {
  const at = service()
  const stopping = new AbortController()
  const startedAt = at.clock.now()
  const send = async () => {
    at.clock.advance(1000)
    throw failed('unknown')
  }
  const unknown = () => workOn('autos', { runId: 'other' }, at)
  const step = { context: { runId: 'r', signal: stopping.signal }, services: at } as unknown
  await expect(sendWork('autos', send, step as Parameters<typeof sendWork>[2])).rejects.toThrow()
  expect(await unknown()).toEqual({ state: 'unknown', at: startedAt + 1000 })
  stopping.abort()
  await expect(sendWork('autos', send, step as Parameters<typeof sendWork>[2])).rejects.toThrow()
  // As it was recorded before it was sent.
  expect(await unknown()).toEqual({ state: 'unknown', at: startedAt + 1000 })
})

test('an entry of an older version, without a time, says nothing', async () => {
  const at = service()
  await at.stepMemory.set({ profile: 'test', pipeline: '', step: 'work on autos' }, { runId: 'other' })
  expect(await workOn('autos', HERE, at)).toEqual({ state: 'none' })
})

describe('the job of an earlier request', () => {
  test.each<[string, Job | undefined, object]>([
    ['goes on', { id: '5', status: 'RUNNING' }, { state: 'busy' }],
    ['made a segment', { id: '5', status: 'SUCCESS', segmentId: 's' }, { state: 'ended', segmentId: 's' }],
    ['does not say what it made', { id: '5', status: 'SUCCESS' }, { state: 'ended', segmentId: undefined }],
    ['is gone', undefined, { state: 'none' }],
  ])('%s', async (_, job, state) => {
    const at = service(...(job ? [job] : []))
    await work({ id: '5' }, 'r', at)
    for (const runId of ['r', 'other']) expect(await workOn('autos', { runId }, at)).toEqual(state)
    expect(await workOn('bikes', HERE, at)).toEqual({ state: 'none' })
    await endWork('autos', at as never)
    expect(await workOn('autos', { runId: 'other' }, at)).toEqual({ state: 'none' })
  })
})
