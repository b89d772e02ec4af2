import { expect, test } from 'vitest'
import { guardSeries } from '../../src/console/server/guard-series.ts'
import type { GuardValue } from '../../src/core/guard.ts'
import type { Guard } from '../../src/core/pipeline.ts'
import { expression, step } from '../support/pipelines.ts'

/** The values of a guard in the runs a to d (b was not a good run), and how many of them were requested. */
async function measured(learn: Guard['learn']) {
  const limits: number[] = []
  const all: GuardValue[] = [40, 30, 999, 10].map((value, at) => ({
    ...{ runId: 'dcba'[at] ?? '', value },
    verdict: value === 999 ? 'rejected' : 'good',
  }))
  const ofItem: GuardValue = { runId: 'd', item: 'x', value: 1, verdict: 'good' }
  const history = {
    async guardValues({ limit, goodOf }: { limit: number; goodOf?: string }) {
      limits.push(limit)
      return goodOf === undefined ? [ofItem, ...all] : all.filter(({ verdict }) => verdict === 'good')
    },
  }
  const guard = { of: expression(' outputs.n '), learn } as Guard
  const series = await guardSeries({ name: 'p', steps: [step('a', { guard }), step('b')] }, { history, shown: 60 })
  return { series, limits }
}

test('a guard that learns has the band of the good values before each, once there are enough', async () => {
  const { series, limits } = await measured({ runs: 20, warmUp: 2 } as Guard['learn'])
  expect(limits).toEqual([80, 80])
  expect(series).toMatchObject([{ step: 'a', name: 'guard: outputs.n' }])
  expect(series[0]?.values.map(({ runId, value, expected }) => [runId, value, expected?.median])).toEqual([
    ...[
      ['a', 10, undefined],
      ['b', 999, undefined],
      ['c', 30, undefined],
    ],
    ['d', 40, 20],
  ])
})

test('a guard that learns nothing has its values, and no band', async () => {
  const { series, limits } = await measured(false)
  expect(limits).toEqual([60, 60])
  expect(series[0]?.values.map(({ value, expected }) => [value, expected])).toEqual(
    [10, 999, 30, 40].map((value) => [value, undefined]),
  )
})
