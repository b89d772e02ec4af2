import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/core/duration.ts'
import type { NotifyRoute } from '../../src/core/notify-rule.ts'
import { createReminders } from '../../src/notifications/reminders.ts'
import { type NotifierBench, notifierBench } from './support/notifier-bench.ts'

const ASKED = Date.UTC(2026, 10, 27, 8)
const ROUTES: readonly NotifyRoute[] = [
  { on: ['approval'], to: ['ops'], remindMs: 4 * HOUR_MS, escalate: { afterMs: DAY_MS, to: ['oncall'] } },
  { to: ['ops'] },
]
let bench: NotifierBench
beforeEach(() => {
  bench = notifierBench()
  bench.declare('nightly')
})
afterEach(() => bench.close())

const reminders = (routes = ROUTES) => createReminders(bench.sweepDeps({ routes }, ['ops', 'oncall']))

async function ask(runId: string, step: string, reason: 'approval' | 'decision' = 'approval', at = ASKED) {
  const error = { code: 'x', kind: 'failed', message: 'Send it?' } as const
  await bench.append(
    runId,
    at,
    { type: 'step.started', step, attempt: 1 },
    { type: 'step.waiting', step, reason, error },
  )
}

const told = async (channel = 'ops') => (await bench.waiting(channel)).map(({ key }) => key)

test('a question is told again each time that the route says, and only then', async () => {
  await bench.run('r1', { key: 'slot-1' })
  await ask('r1', 'ask')
  const look = reminders()
  for (let hour = 0; hour <= 9; hour++) await look(ASKED + hour * HOUR_MS)
  expect(await told()).toEqual(['approval/r1/ask/2/reminder/1', 'approval/r1/ask/2/reminder/2'])
  expect((await bench.waiting())[0]).toMatchObject({
    event: 'approval',
    at: ASKED + 4 * HOUR_MS,
    title: 'reminder: nightly waits for an approval at step "ask", since 2026-11-27 08:00:00 UTC',
    page: 'runs/r1?step=ask',
    next: expect.arrayContaining(['audience runs approve r1 ask']),
  })
})

test('the answer ends it, for this step alone', async () => {
  await bench.run('r1', { key: 'slot-1' })
  await ask('r1', 'ask')
  await ask('r1', 'other')
  const look = reminders()
  await look(ASKED + HOUR_MS)
  await bench.append('r1', ASKED + 2 * HOUR_MS, { type: 'decision.made', step: 'ask', decision: 'approved' })
  await look(ASKED + 4 * HOUR_MS)
  expect(await told()).toEqual(['approval/r1/other/4/reminder/1'])
})

test('others are told of it once, after its time', async () => {
  await bench.run('r1', { key: 'slot-1' })
  await ask('r1', 'ask')
  const look = reminders()
  for (let hour = 20; hour <= 30; hour++) await look(ASKED + hour * HOUR_MS)
  expect(await told('oncall')).toEqual(['approval/r1/ask/2/escalated'])
  expect((await bench.waiting('oncall'))[0]?.title).toContain('nobody has answered: nightly waits')
})

test('another process repeats none, and after a long stop people get one reminder', async () => {
  await bench.run('r1', { key: 'slot-1' })
  await ask('r1', 'ask')
  await reminders()(ASKED + 5 * HOUR_MS)
  await reminders()(ASKED + 6 * HOUR_MS)
  expect(await told()).toEqual(['approval/r1/ask/2/reminder/1'])
  await reminders()(ASKED + 2 * DAY_MS)
  await reminders()(ASKED + 2 * DAY_MS)
  expect(await told()).toEqual(['approval/r1/ask/2/reminder/1', 'approval/r1/ask/2/reminder/12'])
  expect(await told('oncall')).toHaveLength(1)
})

test('not where a person at a terminal watches it, another route fits, or the document leaves it out', async () => {
  bench.declare('quiet', { notify: '{ on: [failure] }' })
  await bench.run('by-hand')
  await bench.run('unsure', { key: 'slot-1' })
  await bench.run('quiet', { pipeline: 'quiet', key: 'slot-2' })
  await ask('by-hand', 'ask')
  await ask('unsure', 'ask', 'decision')
  await ask('quiet', 'ask')
  await reminders()(ASKED + 5 * HOUR_MS)
  expect(await told()).toEqual([])
})

test('a run that waits is read on from where it was, and without such a route none is read', async () => {
  await bench.run('r1', { key: 'slot-1' })
  await ask('r1', 'ask')
  const deps = bench.sweepDeps({ routes: ROUTES })
  const records = vi.fn(deps.state.runs.records)
  const state = { ...deps.state, runs: { ...deps.state.runs, records } }
  const look = createReminders({ ...deps, state })
  await look(ASKED + 60_000)
  await look(ASKED + 90_000)
  await look(ASKED + 120_000)
  expect(records.mock.calls).toEqual([
    ['r1', undefined],
    ['r1', 2],
  ])
  await createReminders({ ...deps, state, rules: { routes: [{ to: ['ops'] }] } })(ASKED + DAY_MS)
  expect(records).toHaveBeenCalledTimes(2)
})
