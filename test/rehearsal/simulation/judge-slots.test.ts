import { expect, test } from 'vitest'
import { judgeSchedule } from '../../../src/rehearsal/simulation/judge-slots.ts'
import type { LivedRun, LivedSlot } from '../../../src/rehearsal/simulation/live-order.ts'
import { datesFrom, planSlots } from '../../../src/rehearsal/simulation/plan-slots.ts'
import { scheduled } from './a-pipeline.ts'

const SLOT = Date.parse('2026-10-20T02:00:00Z')
const MINUTE = 60_000

const [planned] = planSlots(
  [scheduled('p', '{ cron: "0 2 * * *", timezone: UTC, deadline: "03:00" }')],
  datesFrom('2026-10-20', 2),
  () => undefined,
)

function judge(slot: Partial<LivedSlot> | undefined) {
  if (!planned) throw new Error('there is a schedule')
  const found = slot && {
    ...{ pipeline: 'p', trigger: 's0', at: SLOT, state: 'ran' as const, reason: undefined, run: undefined },
    ...slot,
  }
  const lived = {
    find: (at: number) => (at === SLOT ? found : undefined),
    isLivedDay: (date: string) => date === '2026-10-20',
    isAtRest: () => false,
    livedUntil: () => SLOT + 25 * 60 * MINUTE,
  }
  return judgeSchedule(planned, lived, 'p.yaml')
}

function run(own: Partial<LivedRun>): Partial<LivedSlot> {
  return {
    run: {
      ...{ status: 'succeeded', submittedAt: SLOT, beganAt: SLOT, finishedAt: SLOT + 10 * MINUTE },
      ...{ error: undefined, isAtPartner: false, ...own },
    },
  }
}

const GOES_ON = { status: 'running', finishedAt: undefined } as const

test.each([
  ['a run in time', run({}), 'ran', []],
  [
    'a run that ended late',
    run({ finishedAt: SLOT + 61 * MINUTE }),
    'ran',
    ['late: it ended 1 min 00 s after its deadline'],
  ],
  ['a run that ended at its deadline', run({ finishedAt: SLOT + 60 * MINUTE }), 'ran', []],
  ['a run that waited', run({ beganAt: SLOT + 2 * MINUTE }), 'ran', ['queued: it waited 2 min 00 s for other runs']],
  ['a run whose turn came at once', run({ beganAt: SLOT + 3 }), 'ran', []],
  ['a run that failed', run({ status: 'failed', error: 'step a: no' }), 'failed', ['failed: step a: no']],
  ['a run that was cancelled', run({ status: 'cancelled' }), 'cancelled', ['cancelled: its run was cancelled']],
  [
    'a run that waits for a person',
    run({ ...GOES_ON, status: 'waiting' }),
    'waiting',
    ['late: it had not ended', 'waiting: its run waits for a person'],
  ],
  [
    'a run that waits for a partner',
    run({ ...GOES_ON, isAtPartner: true }),
    'waiting',
    ['late: it had not ended', 'waiting: its run waits for a partner'],
  ],
  ['a run that goes on', run(GOES_ON), 'unfinished', ['late: it had not ended', 'unfinished: its run goes on']],
  [
    'a run that never began',
    run({ ...GOES_ON, status: 'queued', beganAt: undefined }),
    'unfinished',
    ['late: it had not ended', 'queued: it waited 1 d 1 h for other runs', 'unfinished: its run is still queued'],
  ],
  [
    'a slot that was skipped',
    { state: 'skipped', reason: 'overlap' },
    'skipped',
    ['skipped: the run before it had not ended'],
  ],
  ['a slot whose condition is false', { state: 'skipped', reason: 'condition' }, 'leftOut', []],
  ['a slot without a run', { state: 'failed', reason: 'it needs a file' }, 'failed', ['failed: it needs a file']],
  ['a slot that nothing ran at', { state: 'missed', reason: 'down' }, 'missed', ['missed: down']],
  ['a slot that nobody knows', undefined, 'missed', ['missed: nothing is recorded about it']],
] as const)('%s', (_, slot, fate, expected) => {
  const { schedule, problems } = judge(slot)
  expect(schedule.list.map((one) => one.fate)).toEqual([fate, 'planned'])
  expect(problems.map(({ kind, why }) => `${kind}: ${why}`)).toEqual(expected)
  expect(schedule.lived).toBe(fate === 'leftOut' ? 0 : 1)
})

test('the latest end is the one nearest to its deadline, with what is left until then', () => {
  expect(judge(run({ finishedAt: SLOT + 50 * MINUTE })).schedule.latestEnd).toEqual({
    local: '2026-10-20 02:00 Z',
    endedAt: '2026-10-20 02:50 Z',
    afterMs: 50 * MINUTE,
    marginMs: 10 * MINUTE,
  })
})
