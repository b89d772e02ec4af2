import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import type { Fault, Passed } from '../support/losing-proxy.ts'
import { crashPoints } from './support/crash-points.ts'
import { matchInput, type Nightly, nightly, people } from './support/nightly.ts'
import { openStepBench, type StepBench } from './support/step-bench.ts'
import { survived } from './support/step-run.ts'

let bench: StepBench
let night: Nightly
beforeEach(async () => {
  bench = await openStepBench()
  night = nightly(bench)
})
afterEach(() => bench.close())

const RECORDS = 5
const isSplit = ({ path }: Omit<Passed, 'status'>) => path.includes('/test-control/')
const isWrite = ({ method, path }: Passed) => method !== 'GET' && path.startsWith('/api/segments/match')
const split = (controlHoldoutPercent: number, more: JsonObject = {}) => ({
  testControl: { controlHoldoutPercent, ...more },
})
const segmentOf = async (count: number) =>
  String((await night.segment(await night.upload(people(count))).go()).segmentId)

describe('a split of matches.ensure', () => {
  test('is made with the match, then when a percentage changes, and nothing else starts a job', async () => {
    const segmentId = await segmentOf(3)
    const first = await night.match(segmentId, split(50)).go()
    expect(first).toMatchObject({ action: 'created', changed: [], status: 'FINISHED' })
    expect(bench.accepted(isWrite)).toBe(2)
    expect(await night.match(segmentId, split(50)).go()).toMatchObject({ action: 'unchanged', changed: [] })
    expect(await night.match(segmentId).go()).toMatchObject({ action: 'unchanged' })
    expect(bench.accepted(isWrite)).toBe(2)
    expect(await night.match(segmentId, split(20)).go()).toMatchObject({ action: 'updated', changed: ['testControl'] })
    expect(await night.match(segmentId, split(20, { shaveOffPercent: 5 })).go()).toMatchObject({ action: 'updated' })
    expect(await night.match(segmentId, split(20)).go()).toMatchObject({ action: 'unchanged' })
    expect(bench.accepted(isSplit)).toBe(3)
    expect(await night.counts()).toEqual([1, 1, 0])
  })

  test('is made again after a refresh, for the contract does not say that it outlasts one', async () => {
    await night.match(await segmentOf(3), split(50)).go()
    const segmentId = await segmentOf(4)
    expect(await night.match(segmentId, split(50)).go()).toMatchObject({
      action: 'refreshed',
      changed: ['segment', 'testControl'],
      matchCount: 4,
    })
    expect(bench.accepted(isSplit)).toBe(2)
    bench.services.stepMemory.lose()
    await night.match(segmentId, split(50)).go()
    expect(bench.accepted(isSplit)).toBe(3)
    expect((await night.match(segmentId, split(50)).go()).action).toBe('unchanged')
  })

  test('that failed is made by the next run, and the match is left alone', async () => {
    const segmentId = await segmentOf(3)
    const forget = bench.proxy.lose('errorBefore', isSplit, 100)
    await expect(night.match(segmentId, split(50)).go()).rejects.toMatchObject({ code: 'outcome-unknown' })
    forget()
    expect(await night.match(segmentId, split(50)).go()).toMatchObject({ action: 'updated', changed: ['testControl'] })
    expect(bench.accepted(isWrite)).toBe(2)
  })

  test('is planned', async () => {
    const plan = (input: JsonObject) => night.plan({ stepId: 'match', uses: 'matches.ensure', input })
    const segmentId = await segmentOf(3)
    const input = matchInput(segmentId)
    const requests = [{ path: '/api/segments/match' }, { path: '/api/segments/match/test-control/{matchId}' }]
    expect(await plan({ ...input, ...split(50) })).toMatchObject({ action: 'create', requests })
    const { matchId } = await night.match(segmentId, split(50)).go()
    expect(await plan({ ...input, ...split(50) })).toMatchObject({ action: 'leave', requests: [] })
    expect(await plan({ ...input, ...split(20) })).toMatchObject({
      action: 'update',
      changed: ['testControl'],
      changes: [{ field: 'testControl.controlHoldoutPercent', from: 50, to: 20 }],
      requests: [{ path: `/api/segments/match/test-control/${matchId}`, body: { controlHoldoutPercent: 20 } }],
    })
    expect(await plan({ ...input, ...split(50), refresh: 'always' })).toMatchObject({
      ...{ action: 'refresh', why: '`refresh: always`' },
      requests: [
        { path: `/api/segments/match/refresh/${matchId}` },
        { path: `/api/segments/match/test-control/${matchId}` },
      ],
    })
  })
})

test('a split of a match that is there has five records: all of them are crash points below', async () => {
  const segmentId = await segmentOf(3)
  await night.match(segmentId).go()
  const afterAll = { record: RECORDS + 1, when: 'before' } as const
  expect(await night.match(segmentId, split(50)).go(afterAll)).toMatchObject({ changed: ['testControl'] })
})

test.each(crashPoints(1, RECORDS))(
  'a process that dies in record $record ($when) of a split makes one match',
  async (crash) => {
    const segmentId = await segmentOf(3)
    await night.match(segmentId).go()
    expect(await survived(night.match(segmentId, split(50)), crash)).toMatchObject({ status: 'FINISHED' })
    expect(bench.accepted(isSplit)).toBeLessThanOrEqual(2)
    expect((await night.match(segmentId, split(50)).go()).action).toBe('unchanged')
    expect(await night.counts()).toEqual([1, 1, 0])
  },
)

test.each<Fault>(['resetBefore', 'resetAfter', 'errorBefore', 'errorAfter'])(
  'a split whose answer is lost (%s) is made once, or twice where it does not show',
  async (fault) => {
    const segmentId = await segmentOf(3)
    bench.proxy.lose(fault, isSplit)
    expect(await night.match(segmentId, split(50)).go()).toMatchObject({ action: 'created', status: 'FINISHED' })
    expect(bench.accepted(isSplit)).toBe(1)
    expect((await night.match(segmentId, split(50)).go()).action).toBe('unchanged')
    expect(await night.counts()).toEqual([1, 1, 0])
  },
)
