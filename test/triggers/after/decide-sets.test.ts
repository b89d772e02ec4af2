import { describe, expect, test } from 'vitest'
import type { AfterTrigger } from '../../../src/core/trigger.ts'
import { decideSets } from '../../../src/triggers/after/decide-sets.ts'

const HOUR_MS = 3_600_000
const trigger: AfterTrigger = {
  ...{ kind: 'after', id: 'next', inputs: {}, at: { file: 'p.yaml', line: 1, column: 1 } },
  ...{ pipelines: ['a', 'b'], on: 'success', withinMs: HOUR_MS, missed: 'all', catchupWindowMs: 24 * HOUR_MS },
}
const mark = { text: 'slot s', by: { pipeline: 'a', trigger: 'nightly' } }
const end = (runId: string, at: number) => ({ runId, origin: runId, pipeline: runId[0] ?? '', at, mark })
const pair = (number: number, at: number) => ({
  ends: [end(`b${number}`, at - 5), end(`a${number}`, at)],
  isComplete: true,
})
const lone = (at: number) => ({ ends: [end('a9', at)], isComplete: false })

function became(
  sets: Parameters<typeof decideSets>[0]['sets'],
  now: number,
  { pausedAt, ...of }: Partial<AfterTrigger> & { pausedAt?: number } = {},
) {
  const { decided } = decideSets({ sets, late: [] }, { ...trigger, ...of }, { now, pausedAt })
  return decided.map(({ occurrence: { key, state, reason } }) => [key, state, reason].filter(Boolean).join(' '))
}

describe('what becomes of a set', () => {
  test('a complete one is due, with its runs in the order of the trigger and what they share', () => {
    const [decision] = decideSets({ sets: [pair(1, 100)], late: [] }, trigger, {
      now: 100,
      pausedAt: undefined,
    }).decided
    expect(decision).toEqual({
      members: [
        { runId: 'b1', origin: 'b1', mark: 'slot s' },
        { runId: 'a1', origin: 'a1', mark: 'slot s' },
      ],
      occurrence: {
        ...{ key: 'runs a1+b1', at: 100, state: 'due' },
        detail: { runs: { a: 'a1', b: 'b1' }, mark: { text: 'slot s', pipeline: 'a', trigger: 'nightly' } },
      },
    })
  })

  test('one that lacks a run waits, and is missed when its time is over', () => {
    expect(decideSets({ sets: [lone(100)], late: [] }, trigger, { now: 100 + HOUR_MS, pausedAt: undefined })).toEqual({
      decided: [],
      nextAt: 101 + HOUR_MS,
    })
    expect(became([lone(100)], 101 + HOUR_MS)).toEqual(['runs a9 missed incomplete'])
    const [decision] = decideSets({ sets: [lone(100)], late: [] }, trigger, {
      now: 101 + HOUR_MS,
      pausedAt: undefined,
    }).decided
    expect(decision?.occurrence).toMatchObject({ at: 100 + HOUR_MS, detail: { runs: { a: 'a9' }, lacking: ['b'] } })
  })

  test('those that nothing took notice of in time are caught up as slots are', () => {
    const sets = [pair(1, 100), pair(2, 2 * HOUR_MS), pair(3, 3 * HOUR_MS)]
    const now = 3 * HOUR_MS + 30_000
    expect(became(sets, now)).toEqual(['runs a1+b1 due', 'runs a2+b2 due', 'runs a3+b3 due'])
    expect(became(sets, now + HOUR_MS, { missed: 'last' })).toEqual([
      'runs a1+b1 missed superseded',
      'runs a2+b2 missed superseded',
      'runs a3+b3 due',
    ])
    expect(became(sets, now, { missed: 'none' })).toEqual([
      'runs a1+b1 missed down',
      'runs a2+b2 missed down',
      'runs a3+b3 due',
    ])
    expect(became(sets, now, { catchupWindowMs: 2 * HOUR_MS })).toEqual([
      'runs a1+b1 missed expired',
      'runs a2+b2 due',
      'runs a3+b3 due',
    ])
  })

  test('those of a pause are skipped', () => {
    const sets = [pair(1, 100), pair(2, 200), lone(250)]
    expect(became(sets, 260 + HOUR_MS, { pausedAt: 200 })).toEqual([
      'runs a1+b1 due',
      'runs a2+b2 skipped paused',
      'runs a9 skipped paused',
    ])
  })

  test('an end that comes late is missed, and makes no other end late', () => {
    const { decided } = decideSets({ sets: [], late: [end('b1', 9)] }, trigger, { now: 10, pausedAt: undefined })
    expect(decided).toMatchObject([
      { members: [{ runId: 'b1', mark: undefined }], occurrence: { key: 'runs b1', state: 'missed', reason: 'late' } },
    ])
  })
})
