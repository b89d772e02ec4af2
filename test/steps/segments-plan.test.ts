import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { createForecast } from '../../src/steps/index.ts'
import { madeThing } from './support/made-thing.ts'
import { INPUT, METADATA, PLACE, SHARES, SHOWN, segmentService } from './support/segment-service.ts'

type Service = Awaited<ReturnType<typeof segmentService>>
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
      ...{ action: 'refresh', why: 'its file differs from the one that it was built from', requests: [refresh] },
      ...{ changed: ['segmentFileName'], changes: [file], outputs: { segmentId: 's' }, complete: false },
    },
  ],
  [
    'updates, builds and shares it',
    { segmentFileName: 'old.csv', cpm: 1 },
    { refresh: 'always', shareWith: [6] },
    { action: 'refresh', why: '`refresh: always`', requests: [update, refresh, share(true)] },
  ],
])('a plan %s', async (_, shows, more, forecast) => {
  const service = await segmentService(shows)
  expect(await plan(service, more)).toMatchObject(forecast)
  expect(service.sent).toEqual([])
})

test('a plan says who keeps it, and to whom it goes besides those who have it', async () => {
  const service = await segmentService({})
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

test('a plan waits for another step that makes it, and says who may have made it', async () => {
  const service = await segmentService(undefined)
  await service.made.note(madeThing({ kind: 'segment', name: 'autos', request: 'r' }))
  const why = /^no segment has this participantSegmentId; step "theirs" of run their run asked for one/
  expect(await plan(service)).toMatchObject({ action: 'create', why: expect.stringMatching(why) })
  await service.made.note(madeThing({ kind: 'segment', name: 'autos', job: '6' }))
  Object.assign(service.api.jobs, { get: async () => ({ id: '6', status: 'RUNNING' }) })
  expect(await plan(service)).toMatchObject({ action: 'wait', why: 'job 6 of another step is making it', requests: [] })
})
