import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fastClock } from '../support/fast-clock.ts'
import { openStepBench, type StepBench } from '../support/step-bench.ts'
import { Crash, type StepRun, stepRun } from '../support/step-run.ts'

let held: Promise<void> | undefined
let bench: StepBench
beforeAll(async () => {
  bench = await openStepBench({ beforeWork: () => held ?? Promise.resolve() })
})
afterAll(() => bench.close())

/** Holds the work of all jobs until it is called. */
function hold(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  held = promise
  return () => {
    held = undefined
    resolve()
  }
}

const newSegment = (name: string) => ({
  segmentFileName: `${name}.csv`,
  participantSegmentId: name,
  segmentName: name,
  uploadSignal: 'EMAIL',
  resultContent: 'BGID',
  providerId: 1001,
})

const creations = (name: string) =>
  bench.accepted(
    ({ method, path, body }) => method === 'POST' && path === '/api/segments' && body.includes(`"${name}"`),
  )

const isCreation = ({ method, path }: { method: string; path: string }) => method === 'POST' && path === '/api/segments'

async function untilRefused(name: string): Promise<void> {
  await expect
    .poll(() => bench.proxy.passed.some((seen) => seen.status === 400 && seen.body.includes(`"${name}"`)))
    .toBe(true)
}

describe('a segment that is still being built when its answer is lost', () => {
  test('is waited for, because a second request is refused as a duplicate', async () => {
    await bench.service.upload('slow.csv', 'ann 2001 CABLE')
    const release = hold()
    bench.proxy.lose('resetAfter', isCreation)
    const run = stepRun('segments.create', newSegment('slow'), bench.services)
    const end = run.go()
    await untilRefused('slow')
    release()
    expect(await end).toMatchObject({ segmentId: expect.any(String), segmentName: 'slow' })
    expect(creations('slow')).toBe(1)
  })

  test('is made again when that job fails: the identifier is free then (decision 43)', async () => {
    await bench.service.upload('doomed.csv', 'ann 2001 CABLE')
    const release = hold()
    bench.proxy.lose('resetAfter', isCreation)
    const run = stepRun('segments.create', newSegment('doomed'), bench.services)
    const end = run.go()
    await untilRefused('doomed')
    const { body } = await bench.service.send('GET /api/segments?participantSegmentId=doomed')
    expect(body.segments).toEqual([])
    const jobId = await newestJob()
    await bench.decideJob(jobId, 'fail')
    release()
    expect(await end).toMatchObject({ segmentId: expect.any(String), jobStatus: 'SUCCESS' })
    expect(creations('doomed')).toBe(2)
  })

  test('fails the step when the service shows nothing for longer than the step waits', async () => {
    await bench.service.upload('endless.csv', 'ann 2001 CABLE')
    const release = hold()
    bench.proxy.lose('resetAfter', isCreation)
    const rule = { timeoutMs: 40_000, approvalTimeoutMs: 1, poll: { initialMs: 500, maxMs: 500 }, accept: ['SUCCESS'] }
    const run = stepRun('segments.create', newSegment('endless'), bench.services, { await: rule })
    await expect(run.go()).rejects.toMatchObject({ code: 'job-timeout' })
    release()
    expect(creations('endless')).toBe(1)
  })
})

/** The id of the latest job of the service. */
async function newestJob(): Promise<string> {
  const ids = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const { status, body } = await bench.service.send(`GET /api/jobs/${index + 1}`)
      return status === 200 ? [body.id as string] : []
    }),
  )
  return ids.flat().at(-1) ?? ''
}

test('an identifier that was taken before is a refusal, also when the first answer was lost', async () => {
  await bench.service.segment('taken', 'ann 2001 CABLE')
  bench.proxy.lose('resetAfter', isCreation)
  const run = stepRun('segments.create', newSegment('taken'), bench.services)
  await expect(run.go()).rejects.toMatchObject({ request: { status: 400, outcome: 'rejected' } })
})

test('a refresh that is still running is not started again, and waited for', async () => {
  const id = await bench.service.segment('re', 'ann 2001 CABLE')
  await bench.service.upload('re-2.csv', 'ben 2001 CABLE')
  const isRefresh = ({ path }: { path: string }) => path === `/api/segments/${id}/refresh`
  const release = hold()
  bench.proxy.lose('resetAfter', isRefresh)
  const end = stepRun('segments.refresh', { id, segmentFileName: 're-2.csv' }, bench.services).go()
  await expect.poll(() => bench.proxy.passed.some((seen) => isRefresh(seen) && seen.status === 400)).toBe(true)
  release()
  expect(await end).toMatchObject({ segmentId: id, segmentFileName: 're-2.csv' })
  expect(await end).not.toHaveProperty('repeated')
  expect(bench.accepted(isRefresh)).toBe(1)
})

test('a refresh without a new file shows nowhere: it is sent once more, and that is said', async () => {
  const id = await bench.service.segment('same', 'ann 2001 CABLE')
  bench.proxy.lose('resetAfter', ({ path }) => path === `/api/segments/${id}/refresh`)
  expect(await stepRun('segments.refresh', { id }, bench.services).go()).toMatchObject({
    segmentId: id,
    repeated: true,
  })
})

describe('what is sent once more at the most', () => {
  test('needs a person when that answer is lost too', async () => {
    const segmentId = await bench.service.segment('share', 'ann 2001 CABLE')
    const isShare = ({ path, body }: { path: string; body: string }) =>
      path === '/api/segments/share' && body.includes(segmentId)
    bench.proxy.lose('resetAfter', isShare, 2)
    const run = stepRun('segments.share', { segmentId, partnerId: 2001 }, bench.services, { stepId: 'share' })
    await expect(run.go()).rejects.toMatchObject({
      reason: 'decision',
      code: 'outcome-unknown',
      message: expect.stringContaining('sent POST /api/segments/share (segments.share) and got no answer'),
      hint: expect.stringContaining('`audience runs resume run-1 --step share --done|--again`'),
    })
    expect(bench.accepted(isShare)).toBe(2)
    run.decide('done')
    expect(await run.go()).toMatchObject({ segmentId })
    expect(bench.accepted(isShare)).toBe(2)
  })
})

describe('an activation', () => {
  const isActivation = ({ method, path, body }: { method: string; path: string; body: string }) =>
    method === 'POST' && path === '/api/activations' && body.includes('"manual"')

  async function arrange() {
    const segmentId = await bench.service.segment('manual', 'ann 2002 CABLE')
    const request = { segmentId, partnerId: 2002, deliveryScopes: ['CABLE'] }
    const started = await bench.service.job('POST /api/segments/match', request, { until: ['PENDING_APPROVAL'] })
    await bench.decideJob(started.id, 'approve')
    await expect.poll(async () => (await bench.service.send(`GET /api/jobs/${started.id}`)).body.status).toBe('SUCCESS')
    const input = {
      activationName: 'manual',
      segmentId,
      matchJobId: started.id,
      refreshRate: 30,
      actionType: 'REQUEST',
    }
    return { input }
  }

  test('that waits for an approval is not seen: a person decides, and what they confirm is found or asked for again', async () => {
    const { input } = await arrange()
    bench.proxy.lose('resetAfter', isActivation)
    const run = stepRun('activations.create', input, bench.services)
    const undecided = { name: 'NeedsPersonError', reason: 'decision', message: expect.stringContaining('not there') }
    await expect(run.go()).rejects.toMatchObject(undecided)
    run.decide('done')
    await expect(run.go()).rejects.toMatchObject({ ...undecided, message: expect.stringContaining('you said') })
    await bench.decideJob(await newestJob(), 'approve')
    expect(await run.go()).toMatchObject({ activationId: expect.any(String), Status: 'Activated' })
    expect(bench.accepted(isActivation)).toBe(1)
  })
})

test('a service that cannot be read while looking is a matter for a person, never for a blind retry', async () => {
  const segmentId = await bench.service.segment('dark', 'ann 2001 CABLE')
  const services = { ...bench.services, clock: fastClock(2000) }
  const flags = { shareSegmentName: false, accessBgIds: false }
  const input = { segmentId, groupId: '9001', deliveryScopes: ['CABLE'], ...flags }
  const run = stepRun('matches.create', input, services)
  await expect(run.go({ record: 3, when: 'unrecorded' })).rejects.toThrow(Crash)
  const heal = bench.proxy.lose('errorBefore', ({ method }) => method === 'GET', 10_000)
  await expect(run.go()).rejects.toMatchObject({
    reason: 'decision',
    message: expect.stringContaining('reading the service failed'),
  })
  heal()
  await takeLoneMatch(run)
})

test('a step that is stopped while its request is under way looks for nothing; the next process does', async () => {
  const segmentId = await bench.service.segment('stopped', 'ann 2001 CABLE')
  const flags = { shareSegmentName: false, accessBgIds: false }
  const input = { segmentId, groupId: '9001', deliveryScopes: ['CABLE'], ...flags }
  const isIt = ({ method, path, body }: { method: string; path: string; body: string }) =>
    method === 'POST' && path === '/api/segments/match' && body.includes(segmentId)
  bench.proxy.lose('delay', isIt)
  const stop = new AbortController()
  const run = stepRun('matches.create', input, bench.services)
  const stopped = expect(run.go(undefined, stop.signal)).rejects.toMatchObject({ code: 'aborted' })
  await expect.poll(() => bench.accepted(isIt)).toBe(1)
  stop.abort(new Error('the process stops'))
  await stopped
  await takeLoneMatch(run)
  expect(bench.accepted(isIt)).toBe(1)
})

/** The service does not show the group of a group match, so a person says whether it is this one (decision 153). */
async function takeLoneMatch(run: StepRun): Promise<void> {
  await expect(run.go()).rejects.toMatchObject({ message: expect.stringMatching(/not known whom it is with/) })
  run.decide('done')
  expect(await run.go()).toMatchObject({ status: 'FINISHED', matchCount: 1 })
}
