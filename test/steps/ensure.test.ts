import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { NeedsPersonError } from '../../src/core/errors.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { Passed } from '../support/losing-proxy.ts'
import { crashPoints } from './support/crash-points.ts'
import { activationInput, matchInput, type Nightly, nightly, people } from './support/nightly.ts'
import { openStepBench, type StepBench } from './support/step-bench.ts'
import { Crash, type CrashPoint, stepRun } from './support/step-run.ts'

let bench: StepBench
let night: Nightly
beforeEach(async () => {
  bench = await openStepBench()
  night = nightly(bench)
})
afterEach(() => bench.close())

const isWrite = ({ method, path }: Passed) => method !== 'GET' && !path.startsWith('/api/files')

describe('nights', () => {
  test('seven with a changing file make one segment, one match, one activation; an eighth without a change writes nothing', async () => {
    const nights = []
    for (let count = 1; count <= 7; count += 1) nights.push(await night.whole(people(count)))
    expect(nights.map(({ actions }) => actions)).toEqual([
      'created created created',
      ...Array.from({ length: 6 }, () => 'refreshed refreshed unchanged'),
    ])
    expect(nights.map(({ match }) => match.matchCount)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(await night.counts()).toEqual([1, 1, 1])
    expect(nights[3]).toMatchObject({
      segment: { changed: ['segmentFileName'], segmentId: nights[0]?.segment.segmentId, segmentName: 'Autos' },
      match: { changed: ['segment'], matchId: nights[0]?.match.matchId, status: 'FINISHED' },
      activation: { changed: [], activationId: nights[0]?.activation.activationId, Status: 'Activated' },
    })
    const writes = bench.accepted(isWrite)
    expect((await night.whole(people(7))).actions).toBe('unchanged unchanged unchanged')
    expect(bench.accepted(isWrite)).toBe(writes)
  })

  test('the memory of an activation is durable before its request is sent', async () => {
    const segment = await night.segment(await night.upload(people(1))).go()
    const match = await night.match(segment.segmentId).go()
    const { stepMemory } = bench.services
    const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const set = vi.spyOn(stepMemory, 'set').mockImplementation(async (_key, { state }) => {
      if (state !== 'sending') return
      begun.resolve()
      await held.promise
    })
    const writes = bench.accepted(isWrite)
    const going = night.activate(segment.segmentId, match.matchJobId).go()
    const failed = expect(going).rejects.toThrow('the disk is full')
    await begun.promise
    held.reject(new Error('the disk is full'))
    await failed
    set.mockRestore()
    expect(bench.accepted(isWrite)).toBe(writes)
  })

  test('with other metadata update the segment, and leave the rest', async () => {
    await night.whole(people(1), { cpm: 2, category: 'cars' })
    const second = await night.whole(people(1), { segmentName: 'Automobiles', cpm: 2.5, category: 'cars' })
    expect(second.actions).toBe('updated unchanged unchanged')
    expect(second.segment).toMatchObject({ changed: ['segmentName', 'cpm'], segmentName: 'Automobiles', cpm: 2.5 })
    const third = await night.whole(people(2), { segmentName: 'Autos' })
    expect(third.actions).toBe('refreshed refreshed unchanged')
    expect(third.segment).toMatchObject({ changed: ['segmentName', 'segmentFileName'], cpm: 2.5, category: 'cars' })
  })

  test('with another activation are planned with what it was made with, or what the service shows of it', async () => {
    const { segment, match } = await night.whole(people(1))
    const input = { ...activationInput(segment.segmentId, match.matchJobId), refreshRate: 60, brand: 'New' }
    const plan = () => night.plan({ stepId: 'activate', uses: 'activations.ensure', input })
    expect(await plan()).toMatchObject({
      action: 'fail',
      changes: [
        { field: 'refreshRate', from: 30, to: 60 },
        { field: 'brand', from: null, to: 'New' },
      ],
    })
    bench.services.stepMemory.lose()
    expect(await plan()).toMatchObject({ action: 'fail', changes: [{ field: 'brand', from: null, to: 'New' }] })
  })

  test('after the step memory is lost adopt what is there; the match is refreshed, for nobody knows what it is of', async () => {
    const first = await night.whole(people(1))
    bench.services.stepMemory.lose()
    const second = await night.whole(people(1))
    expect(second.actions).toBe('unchanged refreshed unchanged')
    expect([second.segment.segmentId, second.match.matchId, second.activation.activationId]).toEqual([
      first.segment.segmentId,
      first.match.matchId,
      first.activation.activationId,
    ])
    expect((await night.whole(people(1))).actions).toBe('unchanged unchanged unchanged')
    expect(await night.counts()).toEqual([1, 1, 1])
  })

  test.each([
    ['activation', 'unchanged unchanged created'],
    ['match', 'unchanged created created'],
    ['segment', 'created created created'],
  ])('after the %s was deleted behind our back make what is missing', async (what, actions) => {
    const { segment, match, activation } = await night.whole(people(1))
    await bench.api.activations.delete({ id: String(activation.activationId) })
    if (what !== 'activation') await bench.api.matches.delete({ matchId: String(match.matchId) })
    if (what === 'segment') await bench.api.segments.delete({ id: String(segment.segmentId) })
    expect((await night.whole(people(1))).actions).toBe(actions)
    expect(await night.counts()).toEqual([1, 1, 1])
  })

  test('an activation of a segment that is gone does not count for the new one', async () => {
    const first = await night.whole(people(1))
    await bench.api.matches.delete({ matchId: String(first.match.matchId) })
    await bench.api.segments.delete({ id: String(first.segment.segmentId) })
    const second = await night.whole(people(1))
    expect(second.activation).toMatchObject({ action: 'created', changed: ['segment'] })
    expect(second.activation.activationId).not.toBe(first.activation.activationId)
    const third = await night.whole(people(1))
    expect(third.activation).toMatchObject({ action: 'unchanged', activationId: second.activation.activationId })
  })
})

describe('refresh', () => {
  test.each([
    ['always', 1, 'refreshed', []],
    ['never', 2, 'unchanged', ['segmentFileName']],
  ])('%s of a segment', async (refresh, count, action, changed) => {
    await night.segment(await night.upload(people(1))).go()
    const outputs = await night.segment(await night.upload(people(count)), { refresh }).go()
    expect(outputs).toMatchObject({ action, changed })
    expect((await night.segment(await night.upload(people(2))).go()).action).toBe('refreshed')
  })

  test('of a match: always, never, and auto after a refresh by any step or by hand', async () => {
    const name = await night.upload(people(1))
    const { segmentId } = await night.segment(name).go()
    const ensured = async (more: JsonObject = {}) => (await night.match(segmentId, more).go()).action
    expect(await ensured()).toBe('created')
    expect(await ensured({ refresh: 'always' })).toBe('refreshed')
    expect(await ensured()).toBe('unchanged')
    await stepRun('segments.refresh', { id: String(segmentId) }, bench.services, { stepId: 'other' }).go()
    expect(await ensured({ refresh: 'never' })).toBe('unchanged')
    expect(await ensured()).toBe('refreshed')
    await night.segment(name, { refresh: 'always' }).go()
    expect(await ensured()).toBe('refreshed')
    await bench.service.upload('by-hand.csv', people(3))
    await bench.service.job(`PUT /api/segments/${segmentId}/refresh`, { segmentFileName: 'by-hand.csv' })
    expect(await ensured()).toBe('refreshed')
    expect(await ensured()).toBe('unchanged')
  })
})

describe('what cannot be changed is an error', () => {
  test('of a segment', async () => {
    const name = await night.upload(people(1))
    await night.segment(name).go()
    await expect(night.segment(name, { uploadSignal: 'IDFA' }).go()).rejects.toMatchObject({
      code: 'segment-conflict',
      message: expect.stringContaining('uploadSignal EMAIL instead of IDFA'),
    })
  })

  test('of a match', async () => {
    const { segmentId } = await night.segment(await night.upload(people(1))).go()
    await night.match(segmentId).go()
    await expect(night.match(segmentId, { accessBgIds: true }).go()).rejects.toMatchObject({ code: 'match-conflict' })
  })

  test.each(['matches.ensure', 'matches.create'])('%s wants both sharing flags stated (decision 65)', (uses) => {
    const { shareSegmentName: _share, accessBgIds: _access, ...input } = matchInput('s')
    expect(() => stepRun(uses, input, bench.services)).toThrow(/shareSegmentName is required.*accessBgIds is required/)
  })
})

describe('wherever the process dies', () => {
  const RECORDS = 5

  test('none of the steps has more than five records: all of them are crash points below', async () => {
    const afterAll = { record: RECORDS + 1, when: 'before' } as const
    for (const count of [1, 2]) {
      const segment = await night.segment(await night.upload(people(count))).go(afterAll)
      const match = await night.match(segment.segmentId).go(afterAll)
      await night.activate(segment.segmentId, match.matchJobId).go(afterAll)
    }
  })

  test.each(crashPoints(1, RECORDS))('in record $record ($when), one of each comes of two nights', async (crash) => {
    const survived = async (run: ReturnType<typeof stepRun>, isIt: (request: Passed) => boolean) => {
      let at: CrashPoint | undefined = crash
      for (;;) {
        try {
          return await run.go(at)
        } catch (error) {
          at = undefined
          if (error instanceof NeedsPersonError) run.decide(bench.accepted(isIt) > 0 ? 'done' : 'again')
          else if (!(error instanceof Crash)) throw error
        }
      }
    }
    const posts = (path: RegExp) => (request: Passed) => request.method !== 'GET' && path.test(request.path)
    for (const count of [1, 2]) {
      const name = await night.upload(people(count))
      const segment = await survived(night.segment(name), posts(/segments$/))
      const match = await survived(night.match(segment.segmentId), posts(/match$/))
      await survived(night.activate(segment.segmentId, match.matchJobId), posts(/activations$/))
      expect(match.matchCount).toBe(count)
    }
    expect(await night.counts()).toEqual([1, 1, 1])
    expect(
      [/segments$/, /segments\/\w+\/refresh$/, /match$/, /match\/refresh/, /activations$/].map((path) =>
        bench.accepted(posts(path)),
      ),
    ).toEqual([1, 1, 1, 1, 1])
  })
})
