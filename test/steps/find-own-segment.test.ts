import { expect, test } from 'vitest'
import { ApiError } from '../../src/adapter/api-error.ts'
import type { Job } from '../../src/contract/job.ts'
import type { MadeThing } from '../../src/state/made-things.ts'
import { findOwnSegment } from '../../src/steps/find-own-segment.ts'
import { madeThing } from './support/made-thing.ts'
import { stillService } from './support/still-service.ts'

const segment = (id: string, own: object = {}) => ({ id, segmentName: 'Autos', participantSegmentId: 'autos', ...own })
const found = (id: string) => ({ state: 'there', thing: segment(id) })

/** A service where these segments can be read, and some of them are listed. */
function serviceOf(
  segments: readonly ReturnType<typeof segment>[],
  listed: readonly string[],
  jobs: readonly Job[] = [],
) {
  const list = segments.filter(({ id }) => listed.includes(id))
  const byId = Object.fromEntries(segments.map((one) => [one.id, one]))
  return stillService({ jobs, segments: byId, listed: { 'segments.list': list } })
}

test('the remembered segment is taken, and nothing is searched', async () => {
  const service = serviceOf([segment('1'), segment('2')], ['2'])
  expect(await findOwnSegment('autos', { segmentId: '1' }, service)).toEqual(found('1'))
  expect(service.reads).toEqual(['segment 1'])
})

test.each([
  ['is gone', [segment('2')]],
  ['has another identifier by now', [segment('1', { participantSegmentId: 'bikes' }), segment('2')]],
])('the remembered segment %s: the listed one is taken', async (_, segments) => {
  expect(await findOwnSegment('autos', { segmentId: '1' }, serviceOf(segments, ['2']))).toEqual(found('2'))
})

test('a memory without an id reads nothing by it', async () => {
  const service = serviceOf([segment('2')], [])
  expect(await findOwnSegment('autos', { segmentId: 7 }, service)).toEqual({ state: 'none' })
  expect(service.reads).toEqual([])
})

test('two own segments with the identifier are for a person', async () => {
  const service = serviceOf([segment('1'), segment('2'), segment('3')], ['1', '2', '3'])
  await expect(findOwnSegment('autos', undefined, service)).rejects.toMatchObject({
    code: 'segment-ambiguous',
    message: 'there are 3 segments with participantSegmentId "autos"',
  })
})

const job = (status: Job['status'], own: Partial<Job> = {}): Job => ({ id: 'j', status, ...own })

test.each<[string, Partial<MadeThing>, readonly Job[], object]>([
  ['is there', { id: '1' }, [], found('1')],
  ['is gone', { id: '7' }, [], { state: 'none' }],
  ['shows another identifier', { id: '2' }, [], { state: 'none' }],
  ['is being made', { job: 'j' }, [job('RUNNING')], { state: 'underWay', jobId: 'j' }],
  ['was made, as its job says', { job: 'j' }, [job('SUCCESS', { segmentId: '1' })], found('1')],
  ['was perhaps made', { request: 'r' }, [], { state: 'unknown', maker: expect.objectContaining({ request: 'r' }) }],
])('the segment that this state made, and no list shows, %s', async (_, entry, jobs, own) => {
  const service = serviceOf([segment('1'), segment('2', { participantSegmentId: 'bikes' })], [], jobs)
  await service.made.note(madeThing({ kind: 'segment', name: 'autos', ...entry }))
  expect(await findOwnSegment('autos', undefined, service)).toEqual(own)
})

test('a read that fails does not say that the remembered segment is gone', async () => {
  const { api, ...rest } = serviceOf([], [])
  const request = { operation: 'segments.get', method: 'GET', path: '/api/segments/1' }
  const away = new ApiError(request, { code: 'service-error', outcome: 'rejected', status: 503 })
  const service = { ...rest, api: { ...api, segments: { ...api.segments, get: () => Promise.reject(away) } } }
  await expect(findOwnSegment('autos', { segmentId: '1' }, service)).rejects.toBe(away)
})
