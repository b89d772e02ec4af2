import { describe, expect, test } from 'vitest'
import { ApiError } from '../../src/adapter/api-error.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { madeThing } from './support/made-thing.ts'
import { INPUT, METADATA, SHOWN, segmentService, WORK } from './support/segment-service.ts'
import { stepRun } from './support/step-run.ts'

type Service = Awaited<ReturnType<typeof segmentService>>
const ensure = (service: Service, more: JsonObject = {}, own: object = {}) =>
  stepRun('segments.ensure', { ...INPUT, ...more }, service, own).go()
const request = { operation: 'segments.create', method: 'POST', path: '/api/segments' }
const failed = (status: number, outcome: 'rejected' | 'unknown' = 'rejected', own: object = {}) =>
  new ApiError({ ...request, ...own }, { code: status === 404 ? 'not-found' : 'rejected', outcome, status })

describe('a segment that is', () => {
  test('not there is created; it is a build, and no step found it', async () => {
    const service = await segmentService(undefined)
    expect(await ensure(service)).toMatchObject({ action: 'created', changed: [], segmentId: 's', jobId: '5' })
    expect(service.sent).toEqual([['segments.create', INPUT]])
    expect(await service.memory()).toEqual({ segmentId: 's', segmentFileName: 'a.csv', metadata: METADATA })
    expect([await service.work(), await service.build()]).toEqual([{}, '5'])
    expect(await service.made.byId('segment', 's')).toMatchObject({ found: false, job: '5' })
  })

  test('as it is wanted is left alone; it is no build, and the step found it', async () => {
    const service = await segmentService({})
    expect(await ensure(service)).toEqual({ ...SHOWN, segmentId: 's', action: 'unchanged', changed: [] })
    expect([service.sent, await service.build()]).toEqual([[], undefined])
    expect(await service.made.byId('segment', 's')).toMatchObject({ found: true, name: 'autos' })
  })

  test('of another name is updated, and not built', async () => {
    const service = await segmentService({ segmentName: 'Old' })
    expect(await ensure(service)).toMatchObject({ action: 'updated', changed: ['segmentName'] })
    expect(service.sent).toEqual([['segments.update', { id: 's', ...METADATA }]])
    expect(await service.build()).toBeUndefined()
  })

  test('of another file and price is updated and built', async () => {
    const service = await segmentService({ segmentFileName: 'old.csv', cpm: 1 })
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
    const service = await segmentService(shows, {}, before)
    expect(await ensure(service, { refresh: 'never' })).toMatchObject({
      action: 'unchanged',
      changed: ['segmentFileName'],
    })
    expect((await service.memory())?.segmentFileName).toBe(file)
  })

  test('kept in a form of the service is left alone as long as it shows that form', async () => {
    const memory = { segmentId: 's', segmentFileName: 'a.csv', metadata: METADATA, forms: { segmentFileName: 'A.CSV' } }
    const service = await segmentService({ segmentFileName: 'A.CSV' }, {}, memory)
    expect(await ensure(service)).toMatchObject({ action: 'unchanged', changed: [] })
    expect(await service.memory()).toEqual(memory)
  })

  test.each([
    ['read', {}],
    ['built', { refresh: 'always' }],
  ])('updated is %s only after that', async (_, more) => {
    const { promise, resolve } = Promise.withResolvers<JsonObject>()
    const service = await segmentService({ cpm: 1 }, { 'segments.update': () => promise })
    const end = ensure(service, more)
    await expect.poll(() => service.sent.length).toBe(1)
    const reads = service.reads.length
    await new Promise(setImmediate)
    expect([service.reads.length, service.sent.length]).toEqual([reads, 1])
    resolve({})
    expect(await end).toMatchObject({ changed: ['cpm'] })
  })

  test('not waited for is at work, also for later runs', async () => {
    const service = await segmentService(undefined)
    const outputs = await ensure(service, {}, { await: false })
    expect(outputs).toEqual({ jobId: '5', jobStatus: 'PENDING', action: 'created', changed: [] })
    expect([await service.work(), await service.memory()]).toEqual([{ jobId: '5' }, undefined])
  })
})

describe('the job of an earlier run', () => {
  const remember = async (service: Service, entry: JsonObject) => service.stepMemory.set(WORK, entry)

  test('that ended made the segment, although no list shows it', async () => {
    const service = await segmentService(undefined)
    await remember(service, { jobId: '5' })
    // The price at its creation is unknown.
    Object.assign(service.api.segments, { get: async () => ({ ...SHOWN, cpm: undefined }) })
    expect(await ensure(service)).toMatchObject({ action: 'updated', changed: ['cpm'], segmentId: 's' })
    expect(await service.work()).toEqual({})
  })

  test('that ended keeps what is remembered of its segment', async () => {
    const service = await segmentService({ cpm: undefined }, {}, { segmentId: 's', metadata: METADATA })
    await remember(service, { jobId: '5' })
    expect(await ensure(service)).toMatchObject({ action: 'unchanged', changed: [] })
  })

  test('that goes on is waited for, as is that of another step', async () => {
    for (const isOwn of [true, false]) {
      const service = await segmentService(undefined)
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
    const service = await segmentService(undefined, { 'segments.create': failed(400) })
    await arrange(service)
    Object.assign(service.api, { items: () => (service.sent.length > 0 ? [SHOWN] : []) })
    expect(await ensure(service)).toMatchObject({ action: 'created', segmentId: 's' })
    expect(service.sent).toHaveLength(1)
  })

  test('a refusal is one where nobody else asked, whatever shows then', async () => {
    const error = failed(400)
    const service = await segmentService(undefined, { 'segments.create': error })
    Object.assign(service.api, { items: () => (service.sent.length > 0 ? [SHOWN] : []) })
    await expect(ensure(service)).rejects.toBe(error)
    expect([await service.work(), service.sent.length]).toEqual([{}, 1])
  })
})

describe('a segment that cannot be changed', () => {
  const put = { operation: 'segments.refresh', method: 'PUT', path: '/api/segments/s/refresh' }

  test('although it can be read may be of somebody else, and that is said', async () => {
    const error = failed(404, 'rejected', put)
    const service = await segmentService({ segmentFileName: 'old.csv' }, { 'segments.refresh': error })
    await expect(ensure(service)).rejects.toMatchObject({
      code: 'segment-not-changeable',
      message: `segment s, which the service shows for participantSegmentId "autos", cannot be changed: ${error.message}`,
    })
  })

  test.each([
    ['for another reason', failed(403, 'rejected', put)],
    ['because a read does not find it', failed(404, 'rejected', { ...put, method: 'GET' })],
  ])('%s fails with that', async (_, error) => {
    const service = await segmentService({ segmentFileName: 'old.csv' }, { 'segments.refresh': error })
    await expect(ensure(service)).rejects.toBe(error)
  })

  test('was not, if it was to be created', async () => {
    const error = failed(404)
    await expect(ensure(await segmentService(undefined, { 'segments.create': error }))).rejects.toBe(error)
  })
})
