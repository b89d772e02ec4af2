import { afterEach, beforeEach, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/core/duration.ts'
import { writeMessage } from '../../src/notifications/message.ts'
import { createSweep } from '../../src/notifications/sweep.ts'
import { type NotifierBench, notifierBench } from './support/notifier-bench.ts'

/** 08:00 in New York. */
const EIGHT = Date.UTC(2026, 10, 27, 13)
const RULES = { on: [], summary: { at: '08:00', timezone: 'America/New_York' } }
let bench: NotifierBench
beforeEach(async () => {
  bench = notifierBench()
  bench.declare('nightly')
  await bench.outbox.begin()
})
afterEach(() => bench.close())

/** Each belongs to a new process: only the state is kept. */
const look = (at: number, rules: object = RULES) =>
  createSweep({ ...bench.sweepDeps(rules, ['ops', 'oncall']), resolving: ['oncall'] })(at)
const told = async (channel = 'ops') =>
  (await bench.waiting(channel)).map(({ title, details = [] }) => `${title}. ${details[0]}`)

test('comes once a day at its time by its clock, also if nothing ran, whichever process is there', async () => {
  await look(EIGHT - 20 * HOUR_MS)
  for (let minute = -2; minute <= 3; minute++) await look(EIGHT + minute * 60_000)
  expect(await told()).toEqual(['daily summary: no run ended. Since 2026-11-26 17:00:00 UTC.'])
  await look(EIGHT + DAY_MS - 1)
  expect(await told()).toHaveLength(1)
  await look(EIGHT + DAY_MS)
  expect((await told())[1]).toBe('daily summary: no run ended. Since 2026-11-27 13:00:00 UTC.')
  expect(await told('oncall')).toEqual([])
})

test('comes each day after a clock that was days ahead is set right, in the same process and in another one', async () => {
  await look(EIGHT - HOUR_MS)
  const same = createSweep(bench.sweepDeps(RULES, ['ops']))
  for (const after of [3 * DAY_MS, -HOUR_MS / 2, 0]) await same(EIGHT + after)
  expect(await told()).toEqual([
    'daily summary: no run ended. Since 2026-11-27 12:00:00 UTC.',
    'daily summary: no run ended. Since 2026-11-27 12:30:00 UTC.',
  ])
  await look(EIGHT + 9 * DAY_MS)
  await look(EIGHT + HOUR_MS)
  await look(EIGHT + DAY_MS)
  expect((await told()).slice(3)).toEqual(['daily summary: no run ended. Since 2026-11-27 14:00:00 UTC.'])
})

test('is one after a stop of days, about all of them', async () => {
  await look(EIGHT - HOUR_MS)
  await look(EIGHT + 3 * DAY_MS + HOUR_MS)
  await look(EIGHT + 3 * DAY_MS + 2 * HOUR_MS)
  expect(await told()).toEqual(['daily summary: no run ended. Since 2026-11-27 12:00:00 UTC.'])
})

test('goes where it says, and there is none without it', async () => {
  const rules = { ...RULES, summary: { ...RULES.summary, to: ['oncall'] } }
  await look(EIGHT - 1, rules)
  await look(EIGHT, { on: [] })
  expect([await told(), await told('oncall')]).toEqual([[], []])
  await look(EIGHT, rules)
  expect([await told(), (await told('oncall')).length]).toEqual([[], 1])
})

test('says what failed, waits, was missed, is paused and is muted', async () => {
  await look(EIGHT - DAY_MS)
  const at = EIGHT - HOUR_MS
  for (const [runId, status] of [
    ['r1', 'succeeded'],
    ['r2', 'failed'],
    ['r3', 'failed'],
  ] as const) {
    await bench.run(runId, { key: runId, at })
    const error = { code: 'x', kind: 'failed', message: 'the partner refused', step: 'match' } as const
    await bench.end(runId, status, at, status === 'failed' ? error : undefined)
  }
  await bench.run('r4', { key: 'r4', at })
  const error = { code: 'x', kind: 'failed', message: 'Send it?' } as const
  await bench.append('r4', at, { type: 'step.waiting', step: 'ask', reason: 'approval', error })
  await bench.run('r5', { key: 'r5', at })
  const status = { jobId: '7', status: 'PENDING_APPROVAL', waitedMs: 0, counterpart: 'partner 2005' } as const
  await bench.append('r5', at, { type: 'job.status', step: 'match', ...status })
  for (const key of ['a', 'b']) await bench.occur('missed', key, { at })
  await bench.occurrences.pause({ pipeline: 'nightly', trigger: 'night' }, at)
  await bench.mutes.mute({ pipelines: '*', since: at, until: EIGHT + HOUR_MS }, {})
  await look(EIGHT)
  const [summary] = await bench.waiting()
  expect(writeMessage([summary!], 'https://tools.example.com/audience/')).toMatchObject({
    title: 'daily summary: 1 succeeded, 2 failed, 1 waiting for a person',
    link: 'https://tools.example.com/audience/',
    facts: [],
    paragraphs: [
      'Since 2026-11-26 13:00:00 UTC.',
      'Failed: nightly at step "match", 2 times: the partner refused',
      'Waits for a person: nightly, run r4',
      'Waits for a partner: nightly, run r5 waits for partner 2005, since 2026-11-27 12:00:00 UTC',
      'Missed: nightly/night, 2 times',
      'Paused: nightly/night since 2026-11-27 12:00:00 UTC',
      'Muted: * until 2026-11-27 14:00:00 UTC',
    ],
    next: ['audience status'],
  })
})

test('names a few of many', async () => {
  await look(EIGHT - DAY_MS)
  for (let index = 0; index < 12; index++) {
    const error = { code: 'x', kind: 'failed', message: `reason ${index}`, step: `s${index}` } as const
    await bench.run(`r${index}`, { key: `r${index}`, at: EIGHT - index })
    await bench.end(`r${index}`, 'failed', EIGHT - index, error)
    await bench.run(`w${index}`, { key: `w${index}`, at: EIGHT - index })
    await bench.append(`w${index}`, EIGHT - index, { type: 'step.waiting', step: 'a', reason: 'approval', error })
  }
  await look(EIGHT)
  const details = (await bench.waiting())[0]?.details ?? []
  expect(details).toHaveLength(13)
  expect(details.slice(6, 7)).toEqual(['Failed: and more'])
  expect(details.at(-1)).toBe('and 7 more runs that wait for a person')
})
