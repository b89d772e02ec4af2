import { afterEach, beforeEach, expect, test } from 'vitest'
import { HOUR_MS } from '../../src/core/duration.ts'
import { createSweep } from '../../src/notifications/sweep.ts'
import { type NotifierBench, notifierBench } from './support/notifier-bench.ts'

const START = Date.UTC(2026, 10, 27, 2)
let bench: NotifierBench
beforeEach(async () => {
  bench = notifierBench()
  bench.declare('nightly')
  await bench.outbox.begin()
})
afterEach(() => bench.close())

/** Each belongs to a new process: only the state is kept. */
const look = (at: number, rules = {}) =>
  createSweep({ ...bench.sweepDeps(rules, ['ops', 'oncall']), resolving: ['oncall'] })(at)
async function ask(runId: string, reason: 'approval' | 'decision' = 'approval', step = 'ask') {
  const error = { code: 'x', kind: 'failed', message: 'Send it?' } as const
  await bench.append(runId, START, { type: 'step.waiting', step, reason, error })
}
const answer = (runId: string, step = 'ask') =>
  bench.append(runId, START, { type: 'decision.made', step, decision: 'approved' })
const closed = async (channel = 'oncall') =>
  (await bench.waiting(channel))
    .filter(({ ends }) => ends)
    .map(({ event, ends, pipeline }) => `${event} ${ends} ${pipeline}`)

test('the last answer of a pipeline closes what its questions opened, where that can be closed', async () => {
  for (const runId of ['r1', 'r2']) {
    await bench.run(runId, { key: runId })
    await ask(runId)
  }
  await look(START)
  await answer('r1')
  await look(START + HOUR_MS)
  expect(await closed()).toEqual([])
  await answer('r2')
  await look(START + 2 * HOUR_MS)
  await look(START + 3 * HOUR_MS)
  expect(await closed()).toEqual(['answered approval nightly'])
  expect(await closed('ops')).toEqual([])
})

test('an approval does not close a decision, an end of the run closes both', async () => {
  await bench.run('r1', { key: 'r1' })
  await ask('r1')
  await ask('r1', 'decision', 'send')
  await look(START)
  await answer('r1')
  await look(START + HOUR_MS)
  expect(await closed()).toEqual(['answered approval nightly'])
  await bench.end('r1', 'cancelled', START + HOUR_MS)
  await look(START + 2 * HOUR_MS)
  expect(await closed()).toEqual(['answered approval nightly', 'answered decision nightly'])
})

test('ends reach it whatever routes, documents and mutes say now', async () => {
  const rules = { on: ['failure'] as const, to: ['ops'] }
  await bench.run('r1', { key: 'r1' })
  await bench.end('r1', 'failed', START)
  await bench.run('r2', { key: 'r2' })
  await ask('r2')
  await look(START, rules)
  await bench.mutes.mute({ pipelines: '*', since: START, until: START + 8 * HOUR_MS }, {})
  await answer('r2')
  await bench.end('r2', 'succeeded', START + 1)
  await look(START + HOUR_MS, rules)
  expect(await closed()).toEqual(['recovery failure nightly', 'answered approval nightly'])
  expect((await bench.waiting()).map(({ event }) => event)).toEqual(['failure'])
})
