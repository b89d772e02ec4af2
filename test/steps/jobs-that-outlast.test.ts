import { afterEach, beforeEach, expect, test } from 'vitest'
import { activationInput, matchInput, type Nightly, nightly, people, segmentInput } from './support/nightly.ts'
import { openStepBench, type StepBench } from './support/step-bench.ts'
import { Crash, stepRun } from './support/step-run.ts'

let bench: StepBench
let night: Nightly
let held: Promise<void> | undefined
beforeEach(async () => {
  bench = await openStepBench({ beforeWork: () => held ?? Promise.resolve() })
  night = nightly(bench)
})
afterEach(() => bench.close())

/** Waits almost no time. */
const short = { timeoutMs: 500, approvalTimeoutMs: 500, poll: { initialMs: 100, maxMs: 100 }, accept: ['SUCCESS'] }

test.each([
  ['made', 0],
  ['built again', 1],
])('a segment that an earlier run saw being %s is waited for, not refused', async (_name, before) => {
  for (let count = 1; count <= before; count += 1) await night.segment(await night.upload(people(count))).go()
  const name = await night.upload(people(before + 1))
  const { promise, resolve: release } = Promise.withResolvers<void>()
  held = promise
  const input = { ...segmentInput(name) }
  await expect(stepRun('segments.ensure', input, bench.services, { await: short }).go()).rejects.toMatchObject({
    code: 'job-timeout',
  })
  const polls = () => bench.proxy.passed.filter(({ path }) => path.startsWith('/api/jobs/')).length
  const polled = polls()
  const next = night.segment(name).go()
  await expect.poll(() => polls() > polled).toBe(true)
  held = undefined
  release()
  expect(await next).toMatchObject({ segmentFileName: name })
  expect(await night.counts()).toEqual([1, 0, 0])
  expect(bench.accepted(({ method, path }) => method === 'PUT' && path.endsWith('/refresh'))).toBe(before)
})

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
  const jobId = (
    await bench.services.stepMemory.get({ profile: 'test', pipeline: 'nightly', step: `it Autos Q4 ${segmentId}` })
  )?.jobId
  await bench.decideJob(String(jobId), 'approve')
  expect(await activated).toMatchObject({ action: 'unchanged', Status: 'Activated' })
  expect(await night.counts()).toEqual([1, 1, 1])
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
  const key = { profile: 'test', pipeline: 'nightly', step: `it Autos Q4 ${segmentId}` }
  const jobOf = async () => (await bench.services.stepMemory.get(key))?.jobId
  const first = activate('run-1').go()
  await expect.poll(jobOf).toEqual(expect.any(String))
  const failed = String(await jobOf())
  await Promise.all([bench.decideJob(failed, 'reject'), expect(first).rejects.toMatchObject({ code: 'job-failed' })])
  const second = activate('run-2').go()
  await expect.poll(async () => (await jobOf()) !== failed && (await jobOf())).toEqual(expect.any(String))
  await bench.decideJob(String(await jobOf()), 'approve')
  expect(await second).toMatchObject({ action: 'created', Status: 'Activated' })
})

test('an activation that was refused leaves no doubt to the next night', async () => {
  const { segmentId } = await night.segment(await night.upload(people(1))).go()
  const { matchJobId } = await night.match(segmentId).go()
  await expect(night.activate(segmentId, '4711').go()).rejects.toMatchObject({ code: 'not-found' })
  expect(await night.activate(segmentId, matchJobId, 'run-2').go()).toMatchObject({ action: 'created' })
})

test('an activation that one night does not know about is not made by the next: a person decides', async () => {
  const { segment, match, activation } = await night.whole(people(1))
  await bench.api.activations.delete({ id: String(activation.activationId) })
  const lost = night.activate(segment.segmentId, match.matchJobId)
  await expect(lost.go({ record: 3, when: 'recorded' })).rejects.toThrow(Crash)
  const next = night.activate(segment.segmentId, match.matchJobId, 'run-2')
  await expect(next.go()).rejects.toMatchObject({
    reason: 'decision',
    message: expect.stringMatching(/sent POST \S+ \(activations.create\) in run run-1 and got no answer/),
  })
  next.decide('again')
  expect(await next.go()).toMatchObject({ action: 'created' })
  expect(await night.counts()).toEqual([1, 1, 1])
})
