import { expect, test } from 'vitest'
import type { ApiAnswerOf } from '../../src/console/api/operations.ts'
import type { ConsoleDeps } from '../../src/console/server/console-deps.ts'
import { figureHandlers } from '../../src/console/server/handlers/list-figures.ts'
import type { RunRow } from '../../src/state/run-history.ts'

interface Recorded {
  readonly value: number
  readonly status?: RunRow['status']
  readonly name?: string
}

/** The points that the chart shows for runs with these outputs, oldest first, as `run value lower-upper`. */
async function points(recorded: readonly Recorded[], limit: number) {
  const rows = recorded.map(({ status = 'succeeded' }, at) => ({ runId: `r${at}`, submittedAt: at, status }) as RunRow)
  const runs = {
    page: async (filter: { readonly limit: number }) => ({ rows: rows.toReversed().slice(0, filter.limit) }),
    figures: async (filter: { readonly limit: number }) =>
      recorded
        .map(({ value, name = 'rows' }, at) => ({ runId: `r${at}`, step: 'load', name, value }))
        .toReversed()
        .slice(0, filter.limit),
  }
  const deps = { state: { runs }, documents: () => new Map() } as unknown as ConsoleDeps
  const answer = await figureHandlers['pipelines.figures'](deps, { pipeline: 'p', limit })
  const { series } = answer as ApiAnswerOf<'pipelines.figures'>
  return series.map(({ step, name, points: shown }) =>
    [
      `${step}.${name}`,
      ...shown.map(({ runId, value, expected }) => `${runId} ${value} ${expected ? 'band' : '-'}`),
    ].join(', '),
  )
}

const good = (count: number) => Array.from({ length: count }, (_, at): Recorded => ({ value: 100 + (at % 3) }))

test('one point is a series, too', async () => {
  expect(await points([{ value: 5 }], 9)).toEqual(['load.rows, r0 5 -'])
})

test('each name has a series of its own, and a series without a shown point is left out', async () => {
  const recorded = [{ value: 1, name: 'old' }, { value: 2 }, { value: 3, name: 'sent' }]
  expect(await points(recorded, 2)).toEqual(['load.rows, r1 2 -', 'load.sent, r2 3 -'])
})

test('runs before those that are shown give the first one its band', async () => {
  expect(await points(good(9), 1)).toEqual(['load.rows, r8 102 band'])
  expect(await points(good(8), 2)).toEqual(['load.rows, r6 100 -, r7 101 band'])
})

test('only good runs give a band', async () => {
  const failed = good(9).map((one) => ({ ...one, status: 'failed' as const }))
  expect(await points([...failed, ...good(1)], 1)).toEqual(['load.rows, r9 100 -'])
})
