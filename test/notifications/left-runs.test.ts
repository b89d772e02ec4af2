import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSweep } from '../../src/notifications/sweep.ts'
import { type NotifierBench, notifierBench } from './support/notifier-bench.ts'

const MINUTE_MS = 60_000
let bench: NotifierBench
beforeEach(async () => {
  bench = notifierBench()
  bench.declare('nightly')
  await bench.outbox.begin()
  await bench.run('r1')
})
afterEach(() => bench.close())

const sweep = (at: number) => createSweep(bench.sweepDeps({ partnerWaitsAfterMs: MINUTE_MS }))(at)
const ask = (runId: string, step: string) =>
  bench.append(runId, 10, {
    type: 'step.waiting',
    step,
    reason: 'approval',
    error: { code: 'x', kind: 'failed', message: 'Send it?' },
  })
const told = async () => (await bench.waiting()).map(({ event, runId, step }) => [event, runId, step])

test('nobody is told of a run that somebody watches; whoever leaves it has people told of its questions, and of its end', async () => {
  await ask('r1', 'ask')
  await sweep(100)
  expect(await told()).toEqual([])
  await bench.runs.leave('r1', 200)
  await sweep(300)
  expect(await told()).toEqual([['approval', 'r1', 'ask']])
  await ask('r1', 'later')
  await sweep(400)
  await bench.end('r1', 'failed', 500)
  await sweep(600)
  expect(await told()).toEqual([
    ['approval', 'r1', 'ask'],
    ['approval', 'r1', 'later'],
    ['failure', 'r1', undefined],
  ])
})

test('so it is with the runs that it started, and with partners that they wait for', async () => {
  await bench.run('r2', { trigger: { kind: 'run', parent: 'r1' } })
  await ask('r2', 'ask')
  await bench.append('r2', 10, {
    type: 'job.status',
    step: 'match',
    jobId: 'j',
    status: 'PENDING_APPROVAL',
    waitedMs: 0,
    counterpart: 'partner 2005',
  })
  await sweep(5 * MINUTE_MS)
  expect(await told()).toEqual([])
  await bench.runs.leave('r1', 6 * MINUTE_MS)
  await sweep(7 * MINUTE_MS)
  await sweep(8 * MINUTE_MS)
  expect(await told()).toEqual([
    ['approval', 'r2', 'ask'],
    ['partnerWaits', 'r2', 'match'],
  ])
})
