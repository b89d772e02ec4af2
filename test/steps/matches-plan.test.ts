import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { createForecast } from '../../src/steps/index.ts'
import { INPUT, KNOWN, MATCH, matchService, PLACE } from './support/match-service.ts'

type Service = Awaited<ReturnType<typeof matchService>>
const plan = (service: Service, more: JsonObject = {}, rebuilt: readonly string[] = []) => {
  const input = { ...INPUT, ...more }
  const question = { ...PLACE, stepKey: 'it', uses: 'matches.ensure', input, unknown: [], rebuilt: new Set(rebuilt) }
  return createForecast(service)(question)
}

const OLD = { ...KNOWN, build: 'old.csv' }
const SPLIT = { testControl: { shaveOffPercent: 5 } }
const create = { method: 'POST', path: '/api/segments/match', body: INPUT }
const refresh = { method: 'POST', path: '/api/segments/match/refresh/7' }
const split = (id: string) => ({ path: `/api/segments/match/test-control/${id}`, body: { shaveOffPercent: 5 } })
const leave = { action: 'leave', requests: [], complete: true, outputs: { ...MATCH, action: 'unchanged', changed: [] } }
const outputs = { matchId: '7' }
const changes = [{ field: 'testControl.shaveOffPercent', to: 5 }]

test.each<[string, JsonObject | undefined, JsonObject, object]>([
  [
    'creates it',
    undefined,
    { refresh: 'always' },
    { action: 'create', why: 'there is no match with this segment, partner or group, and scopes', requests: [create] },
  ],
  ['creates and splits it', undefined, SPLIT, { action: 'create', requests: [create, split('{matchId}')] }],
  ['leaves it alone', KNOWN, {}, leave],
  ['leaves one of another build alone', OLD, { refresh: 'never' }, leave],
  [
    'refreshes it',
    OLD,
    {},
    {
      action: 'refresh',
      why: 'its segment was rebuilt since the match',
      changed: ['segment'],
      requests: [refresh],
      outputs,
    },
  ],
  [
    'refreshes it because it has to',
    KNOWN,
    { refresh: 'always' },
    { action: 'refresh', why: '`refresh: always`', changed: [], changes: undefined, requests: [refresh], outputs },
  ],
  [
    'refreshes and splits it',
    { ...OLD, split: { shaveOffPercent: 6 } },
    SPLIT,
    {
      action: 'refresh',
      requests: [refresh, split('7')],
      changes: [{ field: 'testControl.shaveOffPercent', from: 6, to: 5 }],
    },
  ],
  [
    'splits it',
    KNOWN,
    SPLIT,
    {
      ...{ action: 'update', why: 'its split differs, or is not known', changed: ['testControl'] },
      ...{ changes, requests: [split('7')], outputs, complete: false },
    },
  ],
  ['leaves one that is split so alone', { ...KNOWN, split: { shaveOffPercent: 5 } }, SPLIT, leave],
])('a plan %s', async (_, memory, more, forecast) => {
  const service = await matchService(memory)
  expect(await plan(service, more)).toMatchObject(forecast)
  expect(service.sent).toEqual([])
})

test('a plan refreshes a match whose segment is built before it, unless it is never refreshed', async () => {
  const service = await matchService(KNOWN)
  const why = 'its segment will be rebuilt'
  expect(await plan(service, {}, ['s'])).toMatchObject({ action: 'refresh', why, changed: [], requests: [refresh] })
  expect(await plan(service, { refresh: 'never' }, ['s'])).toMatchObject(leave)
  expect(await plan(service, {}, ['t'])).toMatchObject(leave)
})

test('a plan waits for the job of an earlier run, and for one that works on the match', async () => {
  const running = async ({ jobId }: { jobId: string }) => ({ id: jobId, status: 'RUNNING' })
  const started = await matchService({ ...KNOWN, jobId: '5' })
  Object.assign(started.api.jobs, { get: running })
  expect(await plan(started)).toMatchObject({
    action: 'wait',
    why: 'job 5 of an earlier run has not ended',
    outputs: {},
  })
  const atWork = await matchService(KNOWN, { shows: { status: 'DELIVERING' } })
  Object.assign(atWork.api.jobs, { get: running })
  expect(await plan(atWork)).toMatchObject({ action: 'wait', why: 'a job is working on the match', outputs })
})

test('a plan leaves a match of which nothing is known to a person', async () => {
  const why = /^it is not known whom .*: a person has to decide$/
  expect(await plan(await matchService(undefined, { isListed: true }))).toMatchObject({
    ...{ action: 'afterRun', why: expect.stringMatching(why), requests: [] },
  })
})
