import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { NeedsPersonError } from '../../src/core/errors.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { crashPoints } from './support/crash-points.ts'
import type { Passed } from './support/losing-proxy.ts'
import { openStepBench, type StepBench } from './support/step-bench.ts'
import { Crash, type CrashPoint, stepRun } from './support/step-run.ts'

let bench: StepBench
beforeEach(async () => {
  bench = await openStepBench()
})
afterEach(() => bench.close())

/** The four steps of the nightly pipeline. */
const night = {
  async upload(content: string): Promise<string> {
    const file = join(bench.service.dataDir, 'autos.csv')
    await writeFile(file, content)
    const input = { file, uploadSignal: 'EMAIL', resultContent: 'BGID' }
    return String((await stepRun('files.upload', input, bench.services, { stepId: 'upload' }).go()).name)
  },
  segment: (segmentFileName: string, more: JsonObject = {}) =>
    stepRun('segments.ensure', { ...segmentInput(segmentFileName), ...more }, bench.services, { stepId: 'segment' }),
  match: (segmentId: unknown, more: JsonObject = {}) =>
    stepRun('matches.ensure', { ...matchInput(segmentId), ...more }, bench.services, { stepId: 'match' }),
  activate: (segmentId: unknown, matchJobId: unknown, runId = 'run-1') =>
    stepRun('activations.ensure', activationInput(segmentId, matchJobId), bench.services, {
      stepId: 'activate',
      runId,
    }),
}

const segmentInput = (segmentFileName: string) => ({
  segmentFileName,
  participantSegmentId: 'autos',
  segmentName: 'Autos',
  uploadSignal: 'EMAIL',
  resultContent: 'BGID',
  providerId: 1001,
})

const matchInput = (segmentId: unknown): JsonObject => ({
  segmentId: String(segmentId),
  groupId: '9001',
  deliveryScopes: ['CABLE'],
  shareSegmentName: false,
  accessBgIds: false,
})

const activationInput = (segmentId: unknown, matchJobId: unknown): JsonObject => ({
  activationName: 'Autos Q4',
  segmentId: String(segmentId),
  matchJobId: String(matchJobId),
  refreshRate: 30,
  actionType: 'REQUEST',
})

async function wholeNight(content: string, more: JsonObject = {}) {
  const name = await night.upload(content)
  const segment = await night.segment(name, more).go()
  const match = await night.match(segment.segmentId).go()
  const activation = await night.activate(segment.segmentId, match.matchJobId).go()
  return { segment, match, activation, actions: [segment.action, match.action, activation.action].join(' ') }
}

/** How many segments, matches and activations the service has now. */
async function counts(): Promise<readonly number[]> {
  const { api } = bench
  const lists = await Promise.all([
    Array.fromAsync(api.items('segments.list', {})),
    Array.fromAsync(api.items('matches.list', {})),
    Array.fromAsync(api.items('activations.list', {})),
  ])
  return lists.map((list) => list.length)
}

const people = (count: number) => Array.from({ length: count }, (_, index) => `p${index} 2001 CABLE`).join('\n')
const isWrite = ({ method, path }: Passed) => method !== 'GET' && !path.startsWith('/api/files')

describe('nights', () => {
  test('seven with a changing file make one segment, one match, one activation; an eighth without a change writes nothing', async () => {
    const nights = []
    for (let count = 1; count <= 7; count += 1) nights.push(await wholeNight(people(count)))
    expect(nights.map(({ actions }) => actions)).toEqual([
      'created created created',
      ...Array.from({ length: 6 }, () => 'refreshed refreshed unchanged'),
    ])
    expect(nights.map(({ match }) => match.matchCount)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(await counts()).toEqual([1, 1, 1])
    expect(nights[3]).toMatchObject({
      segment: { changed: ['segmentFileName'], segmentId: nights[0]?.segment.segmentId, segmentName: 'Autos' },
      match: { changed: ['segment'], matchId: nights[0]?.match.matchId, status: 'FINISHED' },
      activation: { changed: [], activationId: nights[0]?.activation.activationId, Status: 'Activated' },
    })
    const writes = bench.accepted(isWrite)
    expect((await wholeNight(people(7))).actions).toBe('unchanged unchanged unchanged')
    expect(bench.accepted(isWrite)).toBe(writes)
  })

  test('with other metadata update the segment, and leave the rest', async () => {
    await wholeNight(people(1), { cpm: 2, category: 'cars' })
    const second = await wholeNight(people(1), { segmentName: 'Automobiles', cpm: 2.5, category: 'cars' })
    expect(second.actions).toBe('updated unchanged unchanged')
    expect(second.segment).toMatchObject({ changed: ['segmentName', 'cpm'], segmentName: 'Automobiles', cpm: 2.5 })
    const third = await wholeNight(people(2), { segmentName: 'Autos' })
    expect(third.actions).toBe('refreshed refreshed unchanged')
    expect(third.segment).toMatchObject({ changed: ['segmentName', 'segmentFileName'], cpm: 2.5, category: 'cars' })
  })

  test('after the ledger is lost adopt what is there; the match is refreshed, for nobody knows what it is of', async () => {
    const first = await wholeNight(people(1))
    bench.services.ledger.lose()
    const second = await wholeNight(people(1))
    expect(second.actions).toBe('unchanged refreshed unchanged')
    expect([second.segment.segmentId, second.match.matchId, second.activation.activationId]).toEqual([
      first.segment.segmentId,
      first.match.matchId,
      first.activation.activationId,
    ])
    expect((await wholeNight(people(1))).actions).toBe('unchanged unchanged unchanged')
    expect(await counts()).toEqual([1, 1, 1])
  })

  test.each([
    ['activation', 'unchanged unchanged created'],
    ['match', 'unchanged created created'],
    ['segment', 'created created created'],
  ])('after the %s was deleted behind our back make what is missing', async (what, actions) => {
    const { segment, match, activation } = await wholeNight(people(1))
    await bench.api.activations.delete({ id: String(activation.activationId) })
    if (what !== 'activation') await bench.api.matches.delete({ matchId: String(match.matchId) })
    if (what === 'segment') await bench.api.segments.delete({ id: String(segment.segmentId) })
    expect((await wholeNight(people(1))).actions).toBe(actions)
    expect(await counts()).toEqual([1, 1, 1])
  })

  test('an activation of a segment that is gone does not count for the new one', async () => {
    const first = await wholeNight(people(1))
    await bench.api.matches.delete({ matchId: String(first.match.matchId) })
    await bench.api.segments.delete({ id: String(first.segment.segmentId) })
    const second = await wholeNight(people(1))
    expect(second.activation).toMatchObject({ action: 'created', changed: ['segment'] })
    expect(second.activation.activationId).not.toBe(first.activation.activationId)
    const third = await wholeNight(people(1))
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
  test.each(crashPoints(1, 8))('in record $record ($when), one of each comes of two nights', async (crash) => {
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
    expect(await counts()).toEqual([1, 1, 1])
    expect(
      [/segments$/, /segments\/\w+\/refresh$/, /match$/, /match\/refresh/, /activations$/].map((path) =>
        bench.accepted(posts(path)),
      ),
    ).toEqual([1, 1, 1, 1, 1])
  })
})

describe('jobs that outlast a run', () => {
  const short = { timeoutMs: 500, approvalTimeoutMs: 500, poll: { initialMs: 100, maxMs: 100 }, accept: ['SUCCESS'] }

  test('an activation that waits for approval is waited for by the next night, not made again', async () => {
    const segmentId = await bench.service.segment('autos', 'ann 2002 CABLE')
    const partner = { groupId: undefined, partnerId: 2002 }
    const request = { ...matchInput(segmentId), ...partner }
    const first = stepRun('matches.ensure', request, bench.services, { await: short })
    await expect(first.go()).rejects.toMatchObject({ code: 'approval-timeout' })
    const second = stepRun('matches.ensure', request, bench.services)
    const ended = second.go()
    const [{ matchId } = { matchId: '' }] = await Array.fromAsync(bench.api.items('matches.list', {}))
    await bench.decideJob(matchId, 'approve')
    const match = await ended
    expect(match).toMatchObject({ matchId, status: 'FINISHED' })

    const input = activationInput(segmentId, match.matchJobId)
    const tonight = stepRun('activations.ensure', input, bench.services, { await: short })
    await expect(tonight.go()).rejects.toMatchObject({ code: 'approval-timeout' })
    const tomorrow = stepRun('activations.ensure', input, bench.services, { runId: 'run-2' })
    const activated = tomorrow.go()
    const jobId = (await bench.services.ledger.get({ profile: 'test', pipeline: 'nightly', step: 'it Autos Q4' }))
      ?.jobId
    await bench.decideJob(String(jobId), 'approve')
    expect(await activated).toMatchObject({ action: 'unchanged', Status: 'Activated' })
    expect(await counts()).toEqual([1, 1, 1])
  })

  test('an activation whose job failed is made again', async () => {
    const segmentId = await bench.service.segment('autos', 'ann 2002 CABLE')
    const started = await bench.service.job(
      'POST /api/segments/match',
      { segmentId, partnerId: 2002, deliveryScopes: ['CABLE'] },
      { until: ['PENDING_APPROVAL'] },
    )
    await bench.decideJob(started.id, 'approve')
    await expect.poll(async () => (await bench.service.send(`GET /api/jobs/${started.id}`)).body.status).toBe('SUCCESS')
    const activate = (runId: string) =>
      stepRun('activations.ensure', activationInput(segmentId, started.id), bench.services, { runId })
    const jobOf = () => bench.services.ledger.get({ profile: 'test', pipeline: 'nightly', step: 'it Autos Q4' })?.jobId
    const first = activate('run-1').go()
    await expect.poll(jobOf).toEqual(expect.any(String))
    const failed = String(jobOf())
    await Promise.all([bench.decideJob(failed, 'reject'), expect(first).rejects.toMatchObject({ code: 'job-failed' })])
    const second = activate('run-2').go()
    await expect.poll(() => jobOf() !== failed && jobOf()).toEqual(expect.any(String))
    await bench.decideJob(String(jobOf()), 'approve')
    expect(await second).toMatchObject({ action: 'created', Status: 'Activated' })
  })

  test('an activation that was refused leaves no doubt to the next night', async () => {
    const { segmentId } = await night.segment(await night.upload(people(1))).go()
    const { matchJobId } = await night.match(segmentId).go()
    await expect(night.activate(segmentId, '4711').go()).rejects.toMatchObject({ code: 'not-found' })
    expect(await night.activate(segmentId, matchJobId, 'run-2').go()).toMatchObject({ action: 'created' })
  })

  test('an activation that one night does not know about is not made by the next: a person decides', async () => {
    const { segment, match, activation } = await wholeNight(people(1))
    await bench.api.activations.delete({ id: String(activation.activationId) })
    const lost = night.activate(segment.segmentId, match.matchJobId)
    await expect(lost.go({ record: 2, when: 'recorded' })).rejects.toThrow(Crash)
    const next = night.activate(segment.segmentId, match.matchJobId, 'run-2')
    await expect(next.go()).rejects.toMatchObject({ reason: 'decision', message: expect.stringContaining('run run-1') })
    next.decide('again')
    expect(await next.go()).toMatchObject({ action: 'created' })
    expect(await counts()).toEqual([1, 1, 1])
  })
})
