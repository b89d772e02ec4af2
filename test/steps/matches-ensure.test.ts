import { describe, expect, test } from 'vitest'
import { ApiError } from '../../src/adapter/api-error.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { madeForMatch } from '../../src/steps/made-for.ts'
import { madeThing } from './support/made-thing.ts'
import { INPUT, KNOWN, MATCH, matchService } from './support/match-service.ts'
import { stepRun } from './support/step-run.ts'

type Service = Awaited<ReturnType<typeof matchService>>
const ensure = (service: Service, more: JsonObject = {}, own: object = {}) =>
  stepRun('matches.ensure', { ...INPUT, ...more }, service, own).go()

const OLD = { ...KNOWN, build: 'old.csv' }
const REFRESH = ['matches.refresh', { matchId: '7' }]
const SPLIT = { testControl: { shaveOffPercent: 5 } }
const SPLITS = ['matches.testControl', { matchId: '7', shaveOffPercent: 5 }]

describe('a match that is', () => {
  test('not there is created, and no step found it', async () => {
    const service = await matchService(undefined)
    expect(await ensure(service, { refresh: 'never' })).toMatchObject({ action: 'created', changed: [], matchId: '7' })
    expect(service.sent).toEqual([['matches.create', INPUT]])
    expect(await service.memory()).toEqual(KNOWN)
    expect(await service.made.byId('match', '7')).toMatchObject({ found: false, job: '5' })
  })

  test('of the present build is left alone, and the step found it', async () => {
    const service = await matchService(KNOWN)
    expect(await ensure(service)).toEqual({ ...MATCH, action: 'unchanged', changed: [] })
    expect([service.sent, await service.memory()]).toEqual([[], KNOWN])
    expect(await service.made.byId('match', '7')).toMatchObject({ found: true, name: 's' })
  })

  test('of another build is refreshed', async () => {
    const service = await matchService(OLD)
    expect(await ensure(service)).toMatchObject({ action: 'refreshed', changed: ['segment'], matchId: '7', jobId: '5' })
    expect([service.sent, await service.memory()]).toEqual([[REFRESH], KNOWN])
  })

  test('of another build and never refreshed is of no build that is known', async () => {
    const service = await matchService(OLD)
    expect(await ensure(service, { refresh: 'never' })).toMatchObject({ action: 'unchanged', changed: ['segment'] })
    expect([service.sent, await service.memory()]).toEqual([[], { ...KNOWN, build: null }])
  })

  test('known under another id than it shows is noted as it shows', async () => {
    const service = await matchService({ ...KNOWN, shownId: '70' }, { shows: { matchId: '70' } })
    expect(await ensure(service)).toMatchObject({ action: 'unchanged', matchId: '7' })
    expect(await service.memory()).toEqual({ ...KNOWN, shownId: '70' })
    expect([await service.made.byId('match', '7'), await service.made.byId('match', '70')]).toMatchObject([
      ...[undefined, { found: true }],
    ])
  })

  test('another one by now, under its id, is not taken', async () => {
    const service = await matchService(KNOWN)
    const get = service.api.matches.get
    let reads = 0
    Object.assign(service.api.matches, {
      get: async (input: never) => ({ ...(await get(input)), matchId: ++reads === 1 ? '7' : '8' }),
    })
    await expect(ensure(service)).rejects.toMatchObject({
      code: 'made-other',
      message: 'match 7 was read, but the service showed a different one: its matchId is 8, and was 7',
    })
  })
})

describe('the approver', () => {
  test.each([
    ['that a match shows is remembered', {}, '2001', '2001'],
    ['that it showed is remembered when it shows none', { approver: '2001' }, undefined, '2001'],
  ])('%s', async (_, before, matchApprover, approver) => {
    for (const build of ['a.csv', 'old.csv']) {
      const service = await matchService({ ...KNOWN, ...before, build }, { shows: { matchApprover } })
      await ensure(service)
      expect(await service.memory()).toEqual({ ...KNOWN, approver })
    }
  })

  test('of a match before it is not remembered', async () => {
    const service = await matchService({ ...KNOWN, matchId: '6', shownId: '6', approver: '2001' })
    await ensure(service)
    expect([service.sent.length, await service.memory()]).toEqual([1, KNOWN])
  })
})

describe('the job', () => {
  test.each<[string, JsonObject | undefined, JsonObject, JsonObject]>([
    [
      'a creation',
      undefined,
      { jobId: '5', jobStatus: 'PENDING', action: 'created', changed: [] },
      { jobId: '5', build: null },
    ],
    [
      'a refresh',
      { ...OLD, approver: '2001', split: { shaveOffPercent: 5 } },
      { jobId: '5', jobStatus: 'PENDING', matchId: '7', action: 'refreshed', changed: ['segment'] },
      { ...KNOWN, jobId: '5', approver: '2001' },
    ],
  ])('of %s that is not waited for is remembered', async (_, before, outputs, memory) => {
    const service = await matchService(before)
    expect(await ensure(service, {}, { await: false })).toEqual(outputs)
    expect(await service.memory()).toEqual(memory)
  })

  test.each([
    ['a creation', undefined, { jobId: '5', build: null }],
    ['a refresh', { ...OLD, split: { shaveOffPercent: 5 } }, { ...OLD, jobId: '5' }],
  ])('of %s that failed is remembered, and the split is not', async (_, before, memory) => {
    const service = await matchService(before)
    Object.assign(service.api, { waitForJob: () => Promise.reject(new Error('failed')) })
    await expect(ensure(service)).rejects.toThrow('failed')
    expect(await service.memory()).toEqual(memory)
  })

  test('of an earlier run, and that of a match at work, is waited for', async () => {
    const running = async ({ jobId }: { jobId: string }) => ({ id: jobId, status: 'RUNNING' })
    for (const [memory, status, what] of [
      [{ ...KNOWN, jobId: '5' }, 'FINISHED', 'segment s'],
      [KNOWN, 'DELIVERING', 'match 7'],
    ] as const) {
      const service = await matchService(memory, { shows: { status } })
      Object.assign(service.api.jobs, { get: running })
      const message = `an earlier job on ${what} has not ended`
      await expect(ensure(service)).rejects.toMatchObject({ code: 'job-timeout', message })
      expect(service.sent).toEqual([])
    }
  })
})

describe('a split', () => {
  test.each<[string, JsonObject | undefined, string, string[], unknown[]]>([
    ['is made with the match', undefined, 'created', [], [['matches.create', INPUT], SPLITS]],
    ['is made of a match that is there', KNOWN, 'updated', ['testControl'], [SPLITS]],
    [
      'is made after a refresh',
      { ...OLD, split: { shaveOffPercent: 5 } },
      'refreshed',
      ['segment', 'testControl'],
      [REFRESH, SPLITS],
    ],
    ['is not made again', { ...KNOWN, split: { shaveOffPercent: 5 } }, 'unchanged', [], []],
    ['is made with another share', { ...KNOWN, split: { shaveOffPercent: 6 } }, 'updated', ['testControl'], [SPLITS]],
  ])('%s', async (_, before, action, changed, sent) => {
    const service = await matchService(before)
    expect(await ensure(service, SPLIT)).toMatchObject({ action, changed, matchId: '7' })
    expect([service.sent, await service.memory()]).toEqual([sent, { ...KNOWN, split: { shaveOffPercent: 5 } }])
  })

  test('keeps the share that is not named', async () => {
    const service = await matchService({ ...KNOWN, split: { controlHoldoutPercent: 9 } })
    await ensure(service, SPLIT)
    expect((await service.memory())?.split).toEqual({ controlHoldoutPercent: 9, shaveOffPercent: 5 })
  })

  test('is not known any more after a refresh, also after one that names no job', async () => {
    const service = await matchService(
      { ...OLD, split: { shaveOffPercent: 5 } },
      { answers: { 'matches.refresh': {} } },
    )
    expect(await ensure(service)).toMatchObject({ action: 'refreshed' })
    expect(await service.memory()).toEqual(KNOWN)
  })

  test('that fails leaves its job to the next run', async () => {
    const service = await matchService({ ...KNOWN, split: { shaveOffPercent: 6 } })
    Object.assign(service.api, { waitForJob: () => Promise.reject(new Error('failed')) })
    await expect(ensure(service, SPLIT)).rejects.toThrow('failed')
    expect(await service.memory()).toEqual({ ...KNOWN, jobId: '5', split: { shaveOffPercent: 6 } })
  })
})

describe('a person is told', () => {
  test('which match a yes takes', async () => {
    const service = await matchService(undefined, { isListed: true })
    await expect(ensure(service)).rejects.toMatchObject({
      code: 'match-undecided',
      message: expect.stringMatching(/^step "it": it is not known whom this match of segment s is with/),
      hint: expect.stringContaining('with --done the step takes 7, with --again it makes another match'),
    })
  })

  test('that a yes looks once more where none shows', async () => {
    const service = await matchService(undefined)
    await service.made.note(madeThing({ ...madeForMatch(INPUT), request: 'theirs' }))
    await expect(ensure(service)).rejects.toMatchObject({ hint: expect.stringContaining('the step looks once more') })
  })

  test('what became of a refresh without an answer', async () => {
    const request = { operation: 'matches.refresh', method: 'POST', path: '/' }
    const lost = new ApiError(request, { code: 'service-error', outcome: 'unknown', status: 503 })
    const service = await matchService(OLD, { answers: { 'matches.refresh': lost } })
    await expect(ensure(service)).rejects.toMatchObject({
      code: 'outcome-unknown',
      message: expect.stringContaining('it looked for a new job on match 7: it is not there (yet)'),
    })
    expect(service.sent).toEqual([REFRESH, REFRESH])
  })
})

test.each([
  [{}, ['shareSegmentName', 'accessBgIds']],
  [{ accessBgIds: false }, ['shareSegmentName']],
])('a match with %j wants the other flags stated', (flags, missing) => {
  const { shareSegmentName: _, accessBgIds: _also, ...rest } = INPUT
  for (const uses of ['matches.ensure', 'matches.create'])
    for (const name of missing)
      expect(() => stepRun(uses, { ...rest, ...flags }, undefined as never)).toThrow(`${name} is required`)
})
