import { expect, test } from 'vitest'
import type { ConsoleDeps } from '../../src/console/server/console-deps.ts'
import { figureHandlers } from '../../src/console/server/handlers/list-figures.ts'
import { readHandlers } from '../../src/console/server/handlers/read-runs.ts'
import type { PageKey } from '../../src/state/run-history.ts'

/** A history that has no runs and records its calls. */
function history(next?: PageKey) {
  const asked: { limit: number; after?: PageKey }[] = []
  const note =
    (answer: object) =>
    async (filter: { limit: number; after?: PageKey }): Promise<object> => {
      asked.push(filter)
      return answer
    }
  const runs = { page: note({ rows: [], next }), figures: note([]) }
  return { asked, deps: { state: { runs }, documents: () => new Map() } as unknown as ConsoleDeps }
}

test('a page has 50 runs unless another number is asked for, and the next one goes on after the last run', async () => {
  const { asked, deps } = history({ submittedAt: 7, runId: 'a_b' })
  const first = await readHandlers['runs.list'](deps, {})
  expect(first).toEqual({ runs: [], next: '7_a_b', lookedBackTo: '1970-01-01T00:00:00.007Z' })
  await readHandlers['runs.list'](deps, { cursor: '7_a_b', limit: 3 })
  expect(asked).toMatchObject([
    { limit: 50, after: undefined },
    { limit: 3, after: { submittedAt: 7, runId: 'a_b' } },
  ])
  for (const cursor of ['7', '7_', '_a', 'x_a'])
    await expect(readHandlers['runs.list'](deps, { cursor })).rejects.toMatchObject({
      status: 400,
      body: { fields: { cursor: expect.anything() } },
    })
})

test('figures are those of the last 60 runs, and of 20 before them for the band of the first', async () => {
  const { asked, deps } = history()
  expect(await figureHandlers['pipelines.figures'](deps, { pipeline: 'p' })).toEqual({ series: [] })
  await figureHandlers['pipelines.figures'](deps, { pipeline: 'p', limit: 5 })
  expect(asked.map(({ limit }) => limit)).toEqual([80, 80, 25, 25])
})
