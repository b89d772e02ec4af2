import { expect, test } from 'vitest'
import type { AfterTrigger } from '../../../src/core/trigger.ts'
import type { OpenEnd } from '../../../src/state/ends.ts'
import { setsOf } from '../../../src/triggers/after/account-for-ends.ts'

const REF = { pipeline: 'sum', trigger: 'next' }
const TRIGGER: AfterTrigger = {
  ...{ kind: 'after', id: 'next', inputs: {}, at: { file: 'sum.yaml', line: 1, column: 1 } },
  ...{ pipelines: ['a', 'b'], on: 'success', withinMs: 60, missed: 'all', catchupWindowMs: 60_000 },
}
const slot = (day: number) => `2026-11-0${day}T02:00:00.000Z`
const markOfDay = (day: number) => `slot ${slot(day)}`

/** A run of a pipeline for the slot of a day. */
function end(pipeline: string, day: number): OpenEnd {
  return {
    ...{ runId: `${pipeline}${day}`, origin: `${pipeline}${day}`, pipeline, at: 10 + day },
    ...{ status: 'succeeded', isOurs: true, startedBy: 'schedule', isCounted: false },
    occurrence: { pipeline: 'a', trigger: 'nightly', key: slot(day), at: 0, state: 'ran', runId: `${pipeline}${day}` },
  }
}

/** What happens to open ends, given the pipelines in the set that was counted for each day, such as `ab` for day 1. */
async function became(open: readonly OpenEnd[], accounted: Readonly<Record<number, string>>) {
  const taken = Object.entries(accounted).flatMap(([day, pipelines]) =>
    [...pipelines].map((pipeline) => ({ mark: markOfDay(Number(day)), key: `set ${day}`, pipeline })),
  )
  const ends = { open: async () => open, taken: async () => taken }
  const shares = () => true
  const { decided, waiting, others } = await setsOf(
    { ref: REF, trigger: TRIGGER },
    { ends, shares, now: 20, pausedAt: undefined },
  )
  return {
    decided: decided.map(({ members, occurrence }) =>
      [...members.map(({ runId }) => runId), occurrence.state].join(' '),
    ),
    waiting: waiting.map((set) => set.ends.map(({ runId }) => runId).join(' ')),
    others,
  }
}

test.each([
  ['no set of its slot was accounted for: it waits', {}, { decided: [], waiting: ['b1'], others: [] }],
  [
    'the set of its slot has a run of its pipeline: it waits for another',
    { 1: 'ab' },
    { decided: [], waiting: ['b1'], others: [] },
  ],
  ['the set of its slot lacked it: it comes too late', { 1: 'a' }, { decided: ['b1 missed'], waiting: [], others: [] }],
  ['the set of another slot lacked it: it waits', { 1: 'ab', 2: 'a' }, { decided: [], waiting: ['b1'], others: [] }],
])('of a run that ends, %s', async (_, accounted, expected) => {
  expect(await became([end('b', 1)], accounted)).toEqual(expected)
})

test.each<[string, Partial<OpenEnd>]>([
  ['it is of another service', { isOurs: false }],
  ['a retry of the same run was counted before', { isCounted: true }],
  ['a step started it', { startedBy: 'run' }],
  ['the trigger does not follow its pipeline', { pipeline: 'c' }],
  ['it failed', { status: 'failed' }],
  ['its status is unknown', { status: undefined }],
])('a run that ends does not count if %s', async (_, own) => {
  expect(await became([{ ...end('b', 1), ...own }], {})).toEqual({ decided: [], waiting: [], others: ['b1'] })
})

test('of a run and its retry the one that ended first counts', async () => {
  const retry = { ...end('b', 1), runId: 'retry' }
  expect(await became([end('b', 1), retry], {})).toEqual({ decided: [], waiting: ['b1'], others: ['retry'] })
})
