import { expect, test } from 'vitest'
import { bandPath, linePath } from '../../../src/console/client/charts/chart-paths.ts'
import { layers } from '../../../src/console/client/charts/layers.ts'
import { durationChart, figureChart } from '../../../src/console/client/charts/run-chart-data.ts'
import { niceScale, timeScale } from '../../../src/console/client/charts/scales.ts'

test('a step stands one column after the last one that it needs', () => {
  const spots = layers([
    { id: 'a', needs: [] },
    { id: 'b', needs: ['a'] },
    { id: 'c', needs: ['a', 'b', 'gone'] },
    { id: 'd', needs: ['a'] },
  ])
  expect(Object.fromEntries([...spots].map(([id, { column, row }]) => [id, `${column},${row}`]))).toEqual({
    a: '0,0',
    b: '1,0',
    d: '1,1',
    c: '2,0',
  })
})

test('needs in a circle end, and a chain of 2,000 steps is laid out', () => {
  const circle = [
    { id: 'a', needs: ['b'] },
    { id: 'b', needs: ['a'] },
  ]
  expect(layers(circle).size).toBe(2)
  const chain = Array.from({ length: 2000 }, (_, at) => ({ id: `s${at}`, needs: at === 0 ? [] : [`s${at - 1}`] }))
  expect(layers(chain).get('s1999')).toEqual({ column: 1999, row: 0 })
})

test('without a long wait, a place follows from the time', () => {
  const scale = timeScale({ from: 0, to: 1000 }, [{ from: 0, to: 300 }])
  expect([scale.at(0), scale.at(250), scale.at(1000), scale.at(2000), scale.folds]).toEqual([0, 25, 100, 100, []])
})

test('a wait of most of the time is folded, and the work beside it becomes readable', () => {
  const scale = timeScale({ from: 0, to: 100_000 }, [
    { from: 1000, to: 50_000 },
    { from: 40_000, to: 99_000 },
  ])
  expect(scale.folds).toEqual([{ from: 1000, to: 99_000, left: 47, width: 6 }])
  expect([scale.at(500), scale.at(1000), scale.at(50_000), scale.at(99_000), scale.at(100_000)]).toEqual([
    23.5, 47, 50, 53, 100,
  ])
})

test('a wait of all of the time leaves a line of some length', () => {
  const scale = timeScale({ from: 0, to: 1000 }, [{ from: 0, to: 1000 }])
  expect([scale.at(0), scale.at(1000)]).toEqual([0, 6])
})

test.each([
  [[0, 100], 0, 100],
  [[3185, 3190, 3201], 3170, 3210],
  [[5], 0, 6],
  [[0], 0, 1],
  [[-5, 5], -5, 5],
])('an axis for %j goes from %i to %i', (values, low, high) => {
  const scale = niceScale(values)
  expect([scale.low, scale.high]).toEqual([low, high])
  expect(scale.ticks.length).toBeLessThanOrEqual(8)
})

test('lines and bands break where a value is missing', () => {
  expect(linePath([{ x: 0, y: 1 }, { x: 1, y: 2 }, undefined, { x: 3, y: 4 }])).toBe('M0 1L1 2M3 4')
  expect(bandPath([undefined, { x: 1, low: 9, high: 2 }, { x: 2, low: 8, high: 3 }])).toBe('M1 2L2 3L2 8L1 9Z')
})

test('durations are in the unit that suits the longest; runs that have not ended are left out, those that failed are marked', () => {
  const run = (runId: string, ranMs: number | undefined, status: 'succeeded' | 'failed' | 'running') => ({
    ...{ runId, status, pipeline: 'p', submittedAt: '2026-11-01T00:00:00Z', triggerKind: 'manual', triggerLabel: '' },
    ...{ profile: 'local', ...(ranMs !== undefined && { ranMs, finishedAt: '2026-11-01T01:00:00Z' }) },
  })
  const chart = durationChart([
    run('c', undefined, 'running'),
    run('b', 120_000, 'failed'),
    run('a', 90_000, 'succeeded'),
  ])
  expect(chart.points.map(({ runId, value }) => [runId, value])).toEqual([
    ['a', 1.5],
    ['b', 2],
  ])
  expect([chart.axisText(2), chart.text(1.5)]).toEqual(['2 min', '1 min 30 s'])
  expect(chart.points.map(chart.marked.isMarked)).toEqual([false, true])
  expect(durationChart([run('a', 1200, 'succeeded')]).axisText(200)).toBe('200 ms')
  expect(durationChart([])).toMatchObject({ points: [] })
})

test('a figure is marked outside its band; what a guard measured, by its verdict', () => {
  const point = { runId: 'a', at: '2026-11-01T00:00:00Z', status: 'succeeded', value: 5 }
  const expected = { low: 1, median: 2, high: 3 }
  const figure = figureChart({ step: 'match', name: 'matchCount', points: [point, { ...point, expected }] })
  expect([figure.title, figure.points.map(figure.marked.isMarked)]).toEqual(['match count of match', [false, true]])
  const points = [
    { ...point, expected, verdict: 'good' },
    { ...point, verdict: 'held' },
  ]
  const guard = figureChart({ step: 'match', name: 'guard: outputs.matchCount', points })
  expect([guard.title, guard.points.map(guard.marked.isMarked)]).toEqual([
    'guard: outputs.matchCount of match',
    [false, true],
  ])
})
