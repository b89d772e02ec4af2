import { afterEach, beforeEach, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/core/duration.ts'
import { createSweep } from '../../src/notifications/sweep.ts'
import { type NotifierBench, notifierBench } from './support/notifier-bench.ts'

const START = Date.UTC(2026, 10, 27, 2)
let bench: NotifierBench
beforeEach(async () => {
  bench = notifierBench()
  bench.declare('nightly')
  await bench.outbox.begin()
  await bench.run('r1', { key: 'r1', at: START })
})
afterEach(() => bench.close())

/** Each belongs to a new process: only the state is kept. */
const look = (at: number) => createSweep(bench.sweepDeps({ on: ['skipped'] }))(at)
const skip = (...keys: string[]) =>
  bench.occurrences.note(
    { pipeline: 'nightly', trigger: 'night' },
    {
      occurrences: keys.map((key) => ({
        key,
        at: START,
        state: 'skipped',
        reason: 'overlap',
        detail: { behind: 'r1' },
      })),
    },
  )
const ask = () => {
  const error = { code: 'x', kind: 'failed', message: 'Send it?' } as const
  return bench.append('r1', START, { type: 'step.waiting', step: 'ask', reason: 'approval', error })
}
const told = async () => (await bench.waiting()).map(({ title }) => title)

test('slots that are skipped because a run waits for a person are told at once, those after it once a day', async () => {
  await ask()
  await skip('k1')
  await look(START + HOUR_MS)
  expect(await told()).toEqual(['1 slot of nightly was skipped because run r1 waits for a person'])
  for (const hour of [2, 3, 4, 5]) {
    await skip(`k${hour}`)
    await look(START + hour * HOUR_MS)
  }
  expect(await told()).toHaveLength(1)
  await look(START + HOUR_MS + DAY_MS)
  await look(START + HOUR_MS + DAY_MS)
  expect((await told()).slice(1)).toEqual(['4 more slots of nightly were skipped because run r1 waits for a person'])
  expect(await bench.waiting()).toMatchObject([
    { event: 'skipped', pipeline: 'nightly', runId: 'r1', next: ['audience runs show r1'] },
    {},
  ])
})

test('several at once are one message, as is the rest when the run goes on', async () => {
  await ask()
  await skip('k1', 'k2', 'k3', 'k4')
  await look(START + HOUR_MS)
  expect(await told()).toEqual(['4 slots of nightly were skipped because run r1 waits for a person'])
  await skip('k5', 'k6')
  await look(START + 2 * HOUR_MS)
  await bench.end('r1', 'succeeded', START + 3)
  await look(START + 3 * HOUR_MS)
  await look(START + 2 * DAY_MS)
  expect((await told()).slice(1)).toEqual(['2 more slots of nightly were skipped while run r1 waited'])
  expect(await bench.outbox.checkpoints('skips')).toEqual(new Map())
})

test('so are those behind a run that waits for a partner', async () => {
  const status = { jobId: '7', status: 'PENDING_APPROVAL', waitedMs: 0, counterpart: 'partner 2005' } as const
  await bench.append('r1', START, { type: 'job.status', step: 'match', ...status })
  await skip('k1', 'k2')
  await look(START + HOUR_MS)
  expect(await told()).toEqual(['2 slots of nightly were skipped because run r1 waits for partner 2005'])
})

test('those behind a run that works are not told: that is what a deadline is for', async () => {
  await skip('k1')
  await look(START + HOUR_MS)
  await ask()
  await look(START + 2 * HOUR_MS)
  expect(await told()).toEqual([])
})

test('while the pipeline is muted they are counted, and told afterwards if the run still waits', async () => {
  await bench.mutes.mute({ pipelines: 'nightly', since: START, until: START + 8 * HOUR_MS }, {})
  await ask()
  await skip('k1', 'k2')
  await look(START + HOUR_MS)
  expect(await told()).toEqual([])
  await look(START + 8 * HOUR_MS)
  expect(await told()).toEqual(['2 slots of nightly were skipped because run r1 waits for a person'])
})

test('two keepers at once, as one takes over, tell the first ones once', async () => {
  await ask()
  await skip('k1', 'k2')
  const both = Promise.withResolvers<void>()
  let made = 0
  const keeper = async (at: number) => {
    const deps = bench.sweepDeps({ on: ['skipped'] })
    const commitBatch: typeof deps.outbox.commitBatch = async (change) => {
      made += 1
      if (made === 2) both.resolve()
      await both.promise
      return deps.outbox.commitBatch(change)
    }
    await createSweep({ ...deps, outbox: { ...deps.outbox, commitBatch } })(at)
  }
  await Promise.all([keeper(START + HOUR_MS), keeper(START + HOUR_MS + 1)])
  expect(await told()).toEqual(['2 slots of nightly were skipped because run r1 waits for a person'])
})
