import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { StepProgress } from '../../src/core/engine.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { Fault, Passed } from '../support/losing-proxy.ts'
import { crashPoints } from './support/crash-points.ts'
import { type Nightly, nightly, people, segmentInput } from './support/nightly.ts'
import { openStepBench, type StepBench } from './support/step-bench.ts'
import { stepRun, survived } from './support/step-run.ts'

let bench: StepBench
let night: Nightly
beforeEach(async () => {
  bench = await openStepBench()
  night = nightly(bench)
})
afterEach(() => bench.close())

/** The clock of these steps is fast. */
const PATIENT = {
  timeoutMs: 86_400_000,
  approvalTimeoutMs: 86_400_000,
  poll: { initialMs: 500, maxMs: 30_000 },
  accept: ['SUCCESS'],
}
const RECORDS = 8
const isShare = ({ path }: Omit<Passed, 'status'>) => path === '/api/segments/share'
const isShareWith = (partnerId: number) => (request: Passed) =>
  isShare(request) && request.body.includes(`"partnerId":${partnerId}`)
const shares = () => bench.accepted(isShare)

describe('shareWith of segments.ensure', () => {
  test('shares with each partner once, and with a new one when it comes', async () => {
    const name = await night.upload(people(3))
    const first = await night.segment(name, { shareWith: [2001] }).go()
    expect(first).toMatchObject({ action: 'created', changed: [], stillSharedWith: [] })
    expect(await night.segment(name, { shareWith: [2001] }).go()).toMatchObject({ action: 'unchanged', changed: [] })
    expect(shares()).toBe(1)
    expect(await night.segment(name, { shareWith: [2001, 2005] }).go()).toMatchObject({
      action: 'updated',
      changed: ['shareWith'],
    })
    expect(shares()).toBe(2)
    const rebuilt = await night.segment(await night.upload(people(4)), { shareWith: [2001, 2005] }).go()
    expect(rebuilt).toMatchObject({ action: 'refreshed', changed: ['segmentFileName'] })
    expect(shares()).toBe(2)
  })

  test('says who keeps it although the step does not name them any more', async () => {
    const name = await night.upload(people(3))
    await night.segment(name, { shareWith: [2001, 2005] }).go()
    expect(await night.segment(name, { shareWith: [2005] }).go()).toMatchObject({
      action: 'unchanged',
      stillSharedWith: [2001],
    })
    expect(await night.segment(name).go()).not.toHaveProperty('stillSharedWith')
    expect(shares()).toBe(2)
  })

  test('shares again when the name is to be shown or hidden', async () => {
    const name = await night.upload(people(3))
    await night.segment(name, { shareWith: [2001] }).go()
    const hidden = await night.segment(name, { shareWith: [2001], shareSegmentName: false }).go()
    expect(hidden).toMatchObject({ action: 'updated', changed: ['shareWith'] })
    expect(shares()).toBe(2)
  })

  test('waits for a share that an earlier run began, and sends one that was rejected again', async () => {
    const name = await night.upload(people(3))
    const isPending = (progress: StepProgress) => progress.kind === 'job' && progress.status === 'PENDING_APPROVAL'
    /** A run that waits until 2002 approves, and the id of the job. */
    const waiting = async (signal?: AbortSignal) => {
      const input = { ...segmentInput(name), shareWith: [2002, 2001] }
      const run = stepRun('segments.ensure', input, bench.services, { stepId: 'segment', await: PATIENT })
      const ended = run.go(undefined, signal)
      ended.catch(() => undefined)
      await expect.poll(() => run.progress.some(isPending)).toBe(true)
      const [jobId = ''] = run.progress.filter(isPending).map((progress) => 'jobId' in progress && progress.jobId)
      return { ended, jobId: String(jobId) }
    }
    const stopped = new AbortController()
    const first = await waiting(stopped.signal)
    stopped.abort()
    await expect(first.ended).rejects.toThrow()

    const second = await waiting()
    expect(second.jobId).toBe(first.jobId)
    await bench.decideJob(second.jobId, 'reject')
    await expect(second.ended).rejects.toMatchObject({ code: 'job-failed' })
    expect([bench.accepted(isShareWith(2001)), bench.accepted(isShareWith(2002))]).toEqual([1, 1])

    const third = await waiting()
    await bench.decideJob(third.jobId, 'approve')
    expect(await third.ended).toMatchObject({ action: 'updated', changed: ['shareWith'] })
    expect(await night.segment(name, { shareWith: [2002, 2001] }).go()).toMatchObject({ action: 'unchanged' })
    expect([bench.accepted(isShareWith(2001)), bench.accepted(isShareWith(2002))]).toEqual([1, 2])
  })

  test('is planned', async () => {
    const plan = (input: JsonObject) => night.plan({ stepId: 'segment', uses: 'segments.ensure', input })
    const name = await night.upload(people(3))
    const input = segmentInput(name)
    expect(await plan({ ...input, shareWith: [2001] })).toMatchObject({
      action: 'create',
      requests: [{ path: '/api/segments' }, { path: '/api/segments/share', body: { partnerId: 2001 } }],
    })
    const { segmentId } = await night.segment(name, { shareWith: [2001] }).go()
    expect(await plan({ ...input, shareWith: [2001] })).toMatchObject({ action: 'leave', requests: [] })
    expect(await plan({ ...input, shareWith: [2005] })).toMatchObject({
      action: 'update',
      changed: ['shareWith'],
      changes: [{ field: 'shareWith', from: [2001], to: [2001, 2005] }],
      why: 'still shared with 2001: a share cannot be taken back',
      requests: [{ path: '/api/segments/share', body: { segmentId, partnerId: 2005, shareSegmentName: true } }],
    })
  })
})

test('sharing with two partners has eight records: all but the first are crash points below', async () => {
  const name = await night.upload(people(3))
  await night.segment(name).go()
  const afterAll = { record: RECORDS + 1, when: 'before' } as const
  const shared = await night.segment(name, { shareWith: [2001, 2005] }).go(afterAll)
  expect(shared).toMatchObject({ changed: ['shareWith'] })
})

test.each(crashPoints(2, RECORDS))(
  'a process that dies in record $record ($when) shares with both partners',
  async (crash) => {
    const name = await night.upload(people(3))
    await night.segment(name).go()
    const shared = await survived(night.segment(name, { shareWith: [2001, 2005] }), crash)
    expect(shared).toMatchObject({ stillSharedWith: [] })
    for (const partnerId of [2001, 2005]) {
      expect(bench.accepted(isShareWith(partnerId))).toBeGreaterThanOrEqual(1)
      expect(bench.accepted(isShareWith(partnerId))).toBeLessThanOrEqual(2)
    }
    const before = shares()
    expect(await night.segment(name, { shareWith: [2001, 2005] }).go()).toMatchObject({ action: 'unchanged' })
    expect(shares()).toBe(before)
  },
)

test.each<Fault>(['resetBefore', 'resetAfter', 'errorBefore', 'errorAfter'])(
  'a share whose answer is lost (%s) is sent once more, which changes nothing',
  async (fault) => {
    const name = await night.upload(people(3))
    bench.proxy.lose(fault, isShare)
    expect(await night.segment(name, { shareWith: [2001] }).go()).toMatchObject({ action: 'created' })
    expect(shares()).toBe(fault.endsWith('After') ? 2 : 1)
    expect(await night.segment(name, { shareWith: [2001] }).go()).toMatchObject({ action: 'unchanged' })
  },
)
