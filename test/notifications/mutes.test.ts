import { afterEach, beforeEach, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/core/duration.ts'
import { createReminders } from '../../src/notifications/reminders.ts'
import { createSweep } from '../../src/notifications/sweep.ts'
import { type NotifierBench, notifierBench } from './support/notifier-bench.ts'

const START = Date.UTC(2026, 10, 27, 2)
let bench: NotifierBench
beforeEach(async () => {
  bench = notifierBench()
  for (const name of ['nightly', 'growth_de']) bench.declare(name)
  await bench.outbox.begin()
})
afterEach(() => bench.close())

const mute = (hours: number, { at = START, pipelines = 'nightly' } = {}) =>
  bench.mutes.mute({ pipelines, since: at, until: at + hours * HOUR_MS }, {})
/** Each belongs to a new process: only the state is kept. */
const look = async (at: number, rules = {}) => {
  await createSweep(bench.sweepDeps(rules))(at)
  await createReminders(bench.sweepDeps(rules))(at)
}
async function end(runId: string, status: 'failed' | 'succeeded', at: number, pipeline = 'nightly'): Promise<void> {
  await bench.run(runId, { pipeline, key: runId, at })
  const error = { code: 'x', kind: 'failed', message: `the reason of ${runId}` } as const
  await bench.end(runId, status, at, status === 'failed' ? error : undefined)
  await look(at)
}
async function ask(runId: string, at: number, reason: 'approval' | 'decision' = 'approval') {
  await bench.run(runId, { key: runId })
  const error = { code: 'x', kind: 'failed', message: 'Send it?' } as const
  await bench.append(runId, at, { type: 'step.waiting', step: 'ask', reason, error })
}
const told = async () => (await bench.waiting()).map(({ title }) => title)

test('nobody is told of what is muted, by name or pattern, and of others they are', async () => {
  await mute(8, { pipelines: 'growth_*' })
  await end('r1', 'failed', START + 1, 'growth_de')
  await bench.occur('missed', 'k1', { pipeline: 'growth_de' })
  await end('r2', 'failed', START + 2)
  await look(START + 3)
  expect(await told()).toEqual(['nightly failed'])
})

test('a recovery of what was told before is told all the same, and ends it', async () => {
  await end('r1', 'failed', START - 1)
  await mute(8)
  await end('r2', 'failed', START + 1)
  await end('r3', 'succeeded', START + 2)
  expect(await told()).toEqual([
    'nightly failed',
    'nightly works again, after it had failed at 2026-11-27 02:00:00 UTC',
  ])
  await end('r4', 'failed', START + 3)
  await end('r5', 'succeeded', START + 4)
  await look(START + 9 * HOUR_MS)
  expect(await told()).toHaveLength(2)
})

test.each([{}, { repeatMs: DAY_MS }])(
  'what still fails at its end is told then, and its recovery (%j)',
  async (rules) => {
    await mute(8)
    await end('r1', 'failed', START + 1)
    await end('r2', 'failed', START + HOUR_MS)
    await look(START + 8 * HOUR_MS - 1, rules)
    expect(await told()).toEqual([])
    await look(START + 8 * HOUR_MS, rules)
    await look(START + 8 * HOUR_MS + 1, rules)
    expect(await told()).toEqual(['nightly failed 2 times while it was muted'])
    await end('r3', 'succeeded', START + 9 * HOUR_MS)
    expect((await told())[1]).toBe('nightly works again, after it had failed at 2026-11-27 03:00:00 UTC')
  },
)

test('failures that a pipeline got over while it was muted are never told, nor is that', async () => {
  await mute(8)
  await end('r1', 'failed', START + 1)
  await end('r2', 'succeeded', START + 2)
  await look(START + 8 * HOUR_MS)
  expect(await told()).toEqual([])
})

test('a file that failed while it was muted is told at its end, although another succeeded, and ends with a success', async () => {
  await mute(8)
  await bench.occur('failed', 'a.csv', { trigger: 'drop', detail: { name: 'a.csv' }, at: START + 1 })
  await end('r1', 'succeeded', START + 2)
  await look(START + 8 * HOUR_MS - 1)
  expect(await told()).toEqual([])
  for (const later of [0, 1]) await look(START + 8 * HOUR_MS + later)
  expect(await told()).toEqual(['1 file of nightly failed while it was muted'])
  await end('r2', 'succeeded', START + 9 * HOUR_MS)
  expect((await told())[1]).toMatch(/^nightly works again/)
})

test('with repeat, failures of a mute are counted with the others', async () => {
  const rules = { repeatMs: DAY_MS }
  await bench.run('r0', { key: 'r0' })
  await bench.end('r0', 'failed', START - HOUR_MS)
  await look(START - HOUR_MS, rules)
  await mute(8)
  for (const hour of [1, 2, 3]) await end(`r${hour}`, 'failed', START + hour * HOUR_MS)
  await look(START + 8 * HOUR_MS, rules)
  expect(await told()).toHaveLength(1)
  await look(START + DAY_MS, rules)
  expect((await told())[1]).toBe('nightly still fails: 3 more times since 2026-11-27 01:00:00 UTC')
})

test('questions that nobody has answered at its end are told then, once; answered ones are not', async () => {
  await ask('before', START - 60_000)
  await look(START - 60_000)
  await mute(8)
  await ask('answered', START + 1)
  await ask('open', START + 2)
  await ask('unsure', START + 3, 'decision')
  await look(START + 4)
  await bench.append('answered', START + 5, { type: 'decision.made', step: 'ask', decision: 'approved' })
  await look(START + 7 * HOUR_MS)
  expect(await bench.waiting()).toHaveLength(1)
  for (const later of [0, 60_000]) await look(START + 8 * HOUR_MS + later)
  expect((await bench.waiting()).map(({ key }) => key).toSorted()).toEqual([
    'approval/before/ask/1',
    'approval/open/ask/1',
    'decision/unsure/ask/1',
  ])
})

test('so are they if somebody ends it early', async () => {
  await mute(8)
  await ask('open', START + 2)
  await look(START + 4)
  await bench.mutes.unmute('nightly', START + HOUR_MS, {})
  await look(START + HOUR_MS)
  expect(await told()).toEqual(['nightly waits for an approval at step "ask"'])
})

test('a question whose reminder is due at its end is told once, as a reminder', async () => {
  const rules = { routes: [{ to: ['ops'], remindMs: 4 * HOUR_MS }] }
  await mute(8)
  await ask('open', START + 2)
  for (const hour of [0, 4, 7]) await look(START + hour * HOUR_MS + 3, rules)
  expect(await told()).toEqual([])
  await look(START + 8 * HOUR_MS, rules)
  expect(await told()).toEqual([expect.stringMatching(/^reminder: nightly waits/)])
})

test('waits for partners and runs without a process are told at its end, if they still are', async () => {
  const rules = { partnerWaitsAfterMs: HOUR_MS }
  await mute(8)
  await bench.run('r1', { key: 'r1', at: START })
  const status = { jobId: '7', status: 'PENDING_APPROVAL', waitedMs: 0, counterpart: 'partner 2005' } as const
  await bench.append('r1', START, { type: 'job.status', step: 'match', ...status })
  const unattended = () => [{ runId: 'r1', pipeline: 'nightly', why: 'orphaned', since: START } as const]
  const sweep = createSweep({ ...bench.sweepDeps(rules), unattended })
  await sweep(START + 2 * HOUR_MS)
  expect(await told()).toEqual([])
  await sweep(START + 8 * HOUR_MS)
  expect((await told()).toSorted()).toEqual([
    'nightly waits for partner 2005 at step "match", since 2026-11-27 02:00:00 UTC',
    'no process is working on a run of nightly',
  ])
})
