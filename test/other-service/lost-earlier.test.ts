import { expect, test } from 'vitest'
import { turnClock, useTurnClock } from '../support/turn-clock.ts'
import { type Bench, openBench } from './nights.ts'
import { segmentDocument } from './whose.ts'

useTurnClock()

/* A creation whose answer was lost can explain a refusal of another one only for as long as its job may take. */

const PATIENCE_MS = 30_000

const segment = (uses: 'segments.create' | 'segments.ensure', file?: string) =>
  segmentDocument(uses, { file, rest: 'await: { timeout: 30s }' })

/** A run whose requests never arrived. Nobody knows that, and it was cancelled. */
async function lostBefore(bench: Bench) {
  const { run } = bench
  const first = await run(segment('segments.ensure'), {
    losses: [{ operation: 'segments.create', how: 'resetBefore', times: 4 }],
  })
  expect(first.state).toBe('outcome-unknown')
  await bench.audience(['runs', 'cancel', first.runId])
}

const creations = ({ service }: Bench) => service.taken.filter(({ operation }) => operation === 'segments.create')

test('if an earlier request was lost long ago, a wrong request fails at once and a correct one is made', async () => {
  await using bench = await openBench()
  await lostBefore(bench)
  await turnClock.sleep(PATIENCE_MS)
  const wrong = segment('segments.ensure', 'missing.csv')
  for (const _ of ['once', 'and again']) {
    const night = await bench.run(wrong)
    expect([night.state, night.message]).toEqual(['rejected', expect.stringContaining('there is no such file')])
  }
  expect(creations(bench)).toHaveLength(2)
  expect((await bench.run(segment('segments.ensure'))).message).toBe('')
  expect(bench.counts().segments).toBe(1)
})

test('a wrong request waits as long as the lost one may still be in progress', async () => {
  await using bench = await openBench()
  await lostBefore(bench)
  const before = turnClock.now()
  const night = await bench.run(segment('segments.ensure', 'missing.csv'))
  expect([night.state, night.message]).toEqual(['rejected', expect.stringContaining('there is no such file')])
  const waitedMs = turnClock.now() - before
  expect(waitedMs).toBeGreaterThan(PATIENCE_MS / 2)
  expect(waitedMs).toBeLessThan(2 * PATIENCE_MS)
})

test.each(['segments.create', 'segments.ensure'] as const)(
  'a retry of %s finds what was built for longer than the step waited',
  async (uses) => {
    await using bench = await openBench({ jobMs: 3 * PATIENCE_MS })
    const first = await bench.run(segment(uses), { losses: [{ operation: 'segments.create', how: 'resetAfter' }] })
    expect(first.state).toBe('job-timeout')
    await turnClock.sleep(3 * PATIENCE_MS)
    expect(await bench.audience(['runs', 'retry', first.runId])).toMatchObject({ code: 0 })
    expect(bench.counts().segments).toBe(1)
  },
)
