import { describe, expect, test } from 'vitest'
import { ApiError } from '../../src/adapter/api-error.ts'
import type { Job } from '../../src/contract/job.ts'
import type { OperationId } from '../../src/contract/operations.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { createForecast } from '../../src/steps/index.ts'
import { memoryKey } from '../../src/steps/memory-key.ts'
import { buildOf } from '../../src/steps/segment-build.ts'
import { answeringService } from './support/answering-service.ts'
import { madeThing } from './support/made-thing.ts'
import { stepRun } from './support/step-run.ts'

const INPUT = {
  ...{ participantSegmentId: 'autos', segmentName: 'Autos', segmentFileName: 'a.csv', cpm: 2 },
  ...({ uploadSignal: 'EMAIL', resultContent: 'BGID', providerId: 1001 } as const),
}
const SHOWN = { id: 's', participantSegmentId: 'autos', segmentName: 'Autos', segmentFileName: 'a.csv', cpm: 2 }
const METADATA = { segmentName: 'Autos', cpm: 2 }
const PLACE = { pipeline: 'nightly', stepId: 'it' }
/** Of any pipeline and step. */
const WORK = { profile: 'test', pipeline: '', step: 'work on autos' }
const SHARES = { profile: 'test', pipeline: '', step: 'shares of s' }
const MADE: Job = { id: '5', status: 'SUCCESS', segmentId: 's' }
const STARTED = {
  'segments.create': { id: '5', status: 'PENDING' },
  'segments.refresh': { id: '5', status: 'PENDING' },
}

/** A service with this segment, if any; the step remembers this. */
async function serviceOf(
  shows: object | undefined,
  answers: Partial<Record<OperationId, JsonObject | ApiError>> = {},
  remembered?: JsonObject,
) {
  const segment = { ...SHOWN, ...shows }
  const listed = { 'segments.list': shows ? [segment] : [] }
  const service = answeringService({ jobs: [MADE], segments: { s: segment }, listed }, { ...STARTED, ...answers })
  const key = memoryKey(PLACE, service, 'autos')
  if (remembered) await service.stepMemory.set(key, remembered)
  return {
    ...service,
    memory: () => service.stepMemory.get(key),
    work: () => service.stepMemory.get(WORK),
    build: () => buildOf({ id: 's' }, service),
  }
}

type Service = Awaited<ReturnType<typeof serviceOf>>
const ensure = (service: Service, more: JsonObject = {}, own: object = {}) =>
  stepRun('segments.ensure', { ...INPUT, ...more }, service, own).go()
const request = { operation: 'segments.create', method: 'POST', path: '/api/segments' }
const failed = (status: number, outcome: 'rejected' | 'unknown' = 'rejected', own: object = {}) =>
  new ApiError({ ...request, ...own }, { code: status === 404 ? 'not-found' : 'rejected', outcome, status })

describe('a segment that is', () => {
  test('not there is created; it is a build, and no step found it', async () => {
    const service = await serviceOf(undefined)
    expect(await ensure(service)).toMatchObject({ action: 'created', changed: [], segmentId: 's', jobId: '5' })
    expect(service.sent).toEqual([['segments.create', INPUT]])
    expect(await service.memory()).toMatchObject({ segmentId: 's', segmentFileName: 'a.csv', metadata: METADATA })
    expect([await service.work(), await service.build()]).toEqual([{}, '5'])
    expect(await service.made.byId('segment', 's')).toMatchObject({ found: false, job: '5' })
  })

  test('as it is wanted is left alone; it is no build, and the step found it', async () => {
    const service = await serviceOf({})
    expect(await ensure(service)).toEqual({ ...SHOWN, segmentId: 's', action: 'unchanged', changed: [] })
    expect([service.sent, await service.build()]).toEqual([[], undefined])
    expect(await service.made.byId('segment', 's')).toMatchObject({ found: true, name: 'autos' })
  })

  test('of another name is updated, and not built', async () => {
    const service = await serviceOf({ segmentName: 'Old' })
    expect(await ensure(service)).toMatchObject({ action: 'updated', changed: ['segmentName'] })
    expect(service.sent).toEqual([['segments.update', { id: 's', ...METADATA }]])
    expect(await service.build()).toBeUndefined()
  })

  test('of another file and price is updated and built', async () => {
    const service = await serviceOf({ segmentFileName: 'old.csv', cpm: 1 })
    expect(await ensure(service)).toMatchObject({
      action: 'refreshed',
      changed: ['cpm', 'segmentFileName'],
      segmentId: 's',
    })
    expect(service.sent).toEqual([
      ['segments.update', { id: 's', ...METADATA }],
      ['segments.refresh', { id: 's', segmentFileName: 'a.csv' }],
    ])
    expect([await service.build(), (await service.memory())?.segmentFileName]).toEqual(['5', 'a.csv'])
  })

  test.each([
    ['shows', { segmentFileName: 'old.csv' }, 'old.csv'],
    ['is remembered with', { segmentFileName: undefined }, 'older.csv'],
  ])('of another file and never built stays of the file that it %s', async (_, shows, file) => {
    const before = { segmentId: 's', segmentFileName: 'older.csv', metadata: METADATA }
    const service = await serviceOf(shows, {}, before)
    expect(await ensure(service, { refresh: 'never' })).toMatchObject({
      action: 'unchanged',
      changed: ['segmentFileName'],
    })
    expect((await service.memory())?.segmentFileName).toBe(file)
  })

  test('not waited for is at work, also for later runs', async () => {
    const service = await serviceOf(undefined)
    const outputs = await ensure(service, {}, { await: false })
    expect(outputs).toEqual({ jobId: '5', jobStatus: 'PENDING', action: 'created', changed: [] })
    expect([await service.work(), await service.memory()]).toEqual([{ jobId: '5' }, undefined])
  })
})

describe('the job of an earlier run', () => {
  const remember = async (service: Service, entry: JsonObject) => service.stepMemory.set(WORK, entry)

  test('that ended made the segment, although no list shows it', async () => {
    const service = await serviceOf(undefined)
    await remember(service, { jobId: '5' })
    // Nobody knows with which price it was made.
    Object.assign(service.api.segments, { get: async () => ({ ...SHOWN, cpm: undefined }) })
    expect(await ensure(service)).toMatchObject({ action: 'updated', changed: ['cpm'], segmentId: 's' })
    expect(await service.work()).toEqual({})
  })

  test('that ended keeps what is remembered of its segment', async () => {
    const service = await serviceOf({ cpm: undefined }, {}, { segmentId: 's', metadata: METADATA })
    await remember(service, { jobId: '5' })
    expect(await ensure(service)).toMatchObject({ action: 'unchanged', changed: [] })
  })

  test('that goes on is waited for, as is that of another step', async () => {
    for (const isOwn of [true, false]) {
      const service = await serviceOf(undefined)
      if (isOwn) await remember(service, { jobId: '5' })
      else await service.made.note(madeThing({ kind: 'segment', name: 'autos', job: '5' }))
      Object.assign(service.api.jobs, { get: async () => ({ id: '5', status: 'RUNNING' }) })
      const message = 'an earlier job on segment "autos" has not ended'
      await expect(ensure(service)).rejects.toMatchObject({ code: 'job-timeout', message })
      expect(service.sent).toEqual([])
    }
  })

  test.each([
    ['a run was about to send', (service: Service) => remember(service, { runId: 'other', at: service.clock.now() })],
    [
      'another step may have sent',
      (service: Service) => service.made.note(madeThing({ kind: 'segment', name: 'autos', request: 'r' })),
    ],
  ])('a request that %s may be why this one is refused, and the segment is looked for', async (_, arrange) => {
    const service = await serviceOf(undefined, { 'segments.create': failed(400) })
    await arrange(service)
    const items = async function* () {
      if (service.sent.length > 0) yield SHOWN
    }
    Object.assign(service.api, { items })
    expect(await ensure(service)).toMatchObject({ action: 'created', segmentId: 's' })
    expect(service.sent).toHaveLength(1)
  })

  test('a refusal is one where nobody else asked', async () => {
    const error = failed(400)
    const service = await serviceOf(undefined, { 'segments.create': error })
    await expect(ensure(service)).rejects.toBe(error)
    expect([await service.work(), service.sent.length]).toEqual([{}, 1])
  })
})

describe('a segment that cannot be changed', () => {
  const put = { operation: 'segments.refresh', method: 'PUT', path: '/api/segments/s/refresh' }

  test('although it can be read may be of somebody else, and that is said', async () => {
    const error = failed(404, 'rejected', put)
    const service = await serviceOf({ segmentFileName: 'old.csv' }, { 'segments.refresh': error })
    await expect(ensure(service)).rejects.toMatchObject({
      code: 'segment-not-changeable',
      message: `segment s, which the service shows for participantSegmentId "autos", cannot be changed: ${error.message}`,
    })
  })

  test.each([
    ['for another reason', failed(403, 'rejected', put)],
    ['because a read does not find it', failed(404, 'rejected', { ...put, method: 'GET' })],
  ])('%s fails with that', async (_, error) => {
    const service = await serviceOf({ segmentFileName: 'old.csv' }, { 'segments.refresh': error })
    await expect(ensure(service)).rejects.toBe(error)
  })

  test('was not, if it was to be created', async () => {
    const error = failed(404)
    await expect(ensure(await serviceOf(undefined, { 'segments.create': error }))).rejects.toBe(error)
  })
})

describe('a plan', () => {
  const plan = (service: Service, more: JsonObject = {}) => {
    const input = { ...INPUT, ...more }
    return createForecast(service)({
      ...{ ...PLACE, stepKey: 'it', uses: 'segments.ensure', input, unknown: [], rebuilt: new Set<string>() },
    })
  }
  const create = { method: 'POST', path: '/api/segments', body: INPUT }
  const update = { method: 'PUT', path: '/api/segments/s', body: METADATA }
  const refresh = { method: 'PUT', path: '/api/segments/s/refresh', body: { segmentFileName: 'a.csv' } }
  const share = (shareSegmentName: boolean) => ({
    ...{ method: 'POST', path: '/api/segments/share' },
    body: { segmentId: 's', partnerId: 6, shareSegmentName },
  })
  const file = { field: 'segmentFileName', from: 'old.csv', to: 'a.csv' }
  const shared = { field: 'shareWith', from: [], to: [6] }
  const left = { ...SHOWN, segmentId: 's', changed: [], action: 'unchanged' }

  test.each<[string, object | undefined, JsonObject, object]>([
    [
      'creates it',
      undefined,
      {},
      { action: 'create', why: 'no segment has this participantSegmentId', requests: [create] },
    ],
    [
      'creates and shares it',
      undefined,
      { shareWith: [6], shareSegmentName: false },
      {
        requests: [create, { ...share(false), body: { partnerId: 6, shareSegmentName: false } }],
      },
    ],
    ['leaves it alone', {}, {}, { action: 'leave', why: undefined, requests: [], outputs: left, complete: true }],
    [
      'leaves it alone for nobody',
      {},
      { shareWith: [] },
      { action: 'leave', why: undefined, requests: [], outputs: { ...left, stillSharedWith: [] } },
    ],
    [
      'shares it',
      {},
      { shareWith: [6] },
      { action: 'update', why: undefined, changed: ['shareWith'], changes: [shared], requests: [share(true)] },
    ],
    [
      'updates and shares it',
      { cpm: 1 },
      { shareWith: [6] },
      {
        ...{ action: 'update', changed: ['cpm', 'shareWith'], requests: [update, share(true)] },
        ...{ changes: [{ field: 'cpm', from: 1, to: 2 }, shared], outputs: { segmentId: 's' }, complete: false },
      },
    ],
    [
      'builds it',
      { segmentFileName: 'old.csv' },
      {},
      {
        ...{ action: 'refresh', why: 'its file is another than the one it was built from', requests: [refresh] },
        ...{ changed: ['segmentFileName'], changes: [file], outputs: { segmentId: 's' }, complete: false },
      },
    ],
    [
      'updates, builds and shares it',
      { segmentFileName: 'old.csv', cpm: 1 },
      { refresh: 'always', shareWith: [6] },
      { action: 'refresh', why: '`refresh: always`', requests: [update, refresh, share(true)] },
    ],
  ])('%s', async (_, shows, more, forecast) => {
    const service = await serviceOf(shows)
    expect(await plan(service, more)).toMatchObject(forecast)
    expect(service.sent).toEqual([])
  })

  test('says who keeps it, and to whom it goes besides those who have it', async () => {
    const service = await serviceOf({})
    await service.stepMemory.set(SHARES, { 5: { shareSegmentName: true }, 7: { shareSegmentName: true } })
    expect(await plan(service, { shareWith: [7] })).toMatchObject({
      ...{ action: 'leave', why: 'still shared with 5: a share cannot be taken back' },
      outputs: { stillSharedWith: [5] },
    })
    expect(await plan(service, { shareWith: [7, 6] })).toMatchObject({
      changes: [{ field: 'shareWith', from: [5, 7], to: [5, 7, 6] }],
      requests: [share(true)],
    })
    const unsaid = await plan(service)
    expect([unsaid.why, unsaid.outputs]).toEqual([undefined, left])
  })

  test('waits for another step that makes it, and says who may have made it', async () => {
    const service = await serviceOf(undefined)
    await service.made.note(madeThing({ kind: 'segment', name: 'autos', request: 'r' }))
    const why = /^no segment has this participantSegmentId; step "theirs" of run their run asked for one/
    expect(await plan(service)).toMatchObject({ action: 'create', why: expect.stringMatching(why) })
    await service.made.note(madeThing({ kind: 'segment', name: 'autos', job: '6' }))
    Object.assign(service.api.jobs, { get: async () => ({ id: '6', status: 'RUNNING' }) })
    expect(await plan(service)).toMatchObject({ action: 'wait', why: 'job 6 of another step makes it', requests: [] })
  })
})
