import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createLateWatch } from '../../src/notifications/late-watch.ts'
import { createSweep } from '../../src/notifications/sweep.ts'
import { type NotifierBench, notifierBench } from './support/notifier-bench.ts'

describe('a deadline of 06:00', () => {
  const SLOT = Date.parse('2026-11-21T02:00Z')
  const DEADLINE = Date.parse('2026-11-21T06:00Z')
  const MINUTE = 60_000
  let bench: NotifierBench
  let look: (now: number) => Promise<void>

  beforeEach(async () => {
    bench = notifierBench()
    bench.declare('nightly', { schedule: 'cron: "0 2 * * *", deadline: "06:00"' })
    await bench.outbox.begin()
    look = createSweep(bench.sweepDeps())
    await look(SLOT)
  })
  afterEach(() => bench.close())
  const titles = async () => (await bench.waiting()).map(({ title }) => title)

  test('is told when the run has not ended by then, once', async () => {
    await bench.run('r1', { key: 'slot', at: SLOT })
    await look(DEADLINE - 1)
    await look(DEADLINE)
    expect(await titles()).toEqual([])
    await look(DEADLINE + MINUTE)
    await look(DEADLINE + 2 * MINUTE)
    await bench.end('r1', 'succeeded', DEADLINE + 3 * MINUTE)
    await look(DEADLINE + 4 * MINUTE)
    expect(await bench.waiting()).toEqual([
      {
        key: 'late/nightly/night/slot',
        event: 'late',
        at: DEADLINE,
        pipeline: 'nightly',
        trigger: 'night',
        runId: 'r1',
        title: 'nightly of 2026-11-21 02:00 UTC had not ended by its deadline, 2026-11-21 06:00 UTC',
        next: ['audience runs show r1'],
      },
    ])
  })

  test('is told after a clock that was days ahead is set right', async () => {
    await look(DEADLINE + 3 * 24 * 60 * MINUTE)
    await bench.run('r1', { key: 'slot', at: SLOT })
    await look(SLOT + MINUTE)
    await look(DEADLINE + MINUTE)
    expect(await titles()).toEqual([
      'nightly of 2026-11-21 02:00 UTC had not ended by its deadline, 2026-11-21 06:00 UTC',
    ])
  })

  test('is looked at no more while its document is gone', async () => {
    await bench.run('r1', { key: 'slot', at: SLOT })
    const watch = createLateWatch(bench.sweepDeps())
    const late = async () => (await watch.look(SLOT, DEADLINE + MINUTE))?.late
    expect(await late()).toHaveLength(1)
    bench.pipelines.delete('nightly')
    expect(await late()).toEqual([])
  })

  test('is told when the run has not begun, or has ended a moment later', async () => {
    await bench.occur('due', 'slot', { at: SLOT })
    await bench.run('r2', { key: 'slot2', at: SLOT + MINUTE })
    await bench.end('r2', 'failed', DEADLINE + 30_000)
    await look(DEADLINE + MINUTE)
    expect((await bench.waiting()).flatMap(({ event, title }) => (event === 'late' ? [title] : []))).toEqual([
      'nightly of 2026-11-21 02:01 UTC ended 30.0 s after its deadline, 2026-11-21 06:00 UTC',
      'nightly of 2026-11-21 02:00 UTC had not begun by its deadline, 2026-11-21 06:00 UTC',
    ])
  })

  test('is kept by a run that has ended, and by slots of which there is no run', async () => {
    await bench.run('r1', { key: 'slot', at: SLOT })
    await bench.end('r1', 'failed', DEADLINE)
    await bench.occur('skipped', 'slot2', { at: SLOT + 1, reason: 'paused' })
    await look(DEADLINE + MINUTE)
    expect(await titles()).toEqual(['nightly failed'])
  })

  test('is not the deadline of a slot after it', async () => {
    await bench.run('r1', { key: 'slot', at: DEADLINE })
    await bench.run('r2', { key: 'slot2', at: DEADLINE + 10_000 })
    await look(DEADLINE + MINUTE)
    expect(await titles()).toEqual([])
    await look(DEADLINE + 24 * 60 * MINUTE + MINUTE)
    expect(await titles()).toHaveLength(2)
  })

  test('that passed while nothing ran is told after the start', async () => {
    await bench.run('r1', { key: 'slot', at: SLOT })
    look = createSweep(bench.sweepDeps())
    await look(DEADLINE + 90 * MINUTE)
    expect(await titles()).toHaveLength(1)
  })

  test.each([
    ['two days', 48 * 60, 1],
    ['more', 48 * 60 + 1, 0],
  ])('that passed %s ago, while nothing ran, is told so often', async (_name, minutes, told) => {
    await bench.run('r1', { key: 'slot', at: SLOT })
    // The days in between have no slots.
    await look(DEADLINE + minutes * MINUTE)
    expect(await titles()).toHaveLength(told)
  })

  test('of a run that is not in the history any more is not told', async () => {
    await bench.run('r1', { key: 'slot', at: SLOT })
    const deps = bench.sweepDeps()
    const runs = { ...deps.state.runs, find: async () => undefined }
    look = createSweep({ ...deps, state: { ...deps.state, runs } })
    await look(DEADLINE + MINUTE)
    expect(await titles()).toEqual([])
  })

  test('of slots that are made up for much later is past', async () => {
    await look(DEADLINE + MINUTE)
    await bench.run('r1', { key: 'slot', at: SLOT - 20 * 24 * 60 * MINUTE })
    await look(DEADLINE + 24 * 60 * MINUTE + MINUTE)
    expect(await titles()).toEqual([])
  })

  test('is looked at again where what was found could not be kept', async () => {
    await bench.run('r1', { key: 'slot', at: SLOT })
    const { commitBatch } = bench.outbox
    const deps = bench.sweepDeps()
    let isFull = true
    const outbox = {
      ...bench.outbox,
      commitBatch: (change: Parameters<typeof commitBatch>[0]) =>
        isFull ? Promise.reject(new Error('disk full')) : commitBatch(change),
    }
    look = createSweep({ ...deps, outbox })
    await expect(look(DEADLINE + MINUTE)).rejects.toThrow('disk full')
    isFull = false
    await look(DEADLINE + MINUTE + 1)
    expect(await titles()).toHaveLength(1)
  })

  test.each([
    ['put forward', '2026-03-28', '2026-03-29', '2026-03-29T04:00Z'],
    ['put back', '2026-10-24', '2026-10-25', '2026-10-25T05:00Z'],
  ])('is that of its own clocks, also on the day that they are %s', async (_name, before, day, deadline) => {
    bench.declare('nightly', { schedule: 'cron: "0 2 * * *", deadline: "06:00", timezone: Europe/Berlin' })
    bench.declare('other', { schedule: 'cron: "0 2 * * *", deadline: "06:00", timezone: Europe/Berlin' })
    const at = Date.parse(deadline)
    await bench.outbox.commitBatch({
      events: [],
      notifications: [],
      checkpoints: new Map([['late', at - 12 * 60 * MINUTE]]),
      at,
    })
    await bench.run('before', { key: 'slot', at: Date.parse(`${before}T01:00Z`) })
    await bench.run('r1', { key: 'slot1', at: Date.parse(`${day}T00:30Z`) })
    await bench.run('r2', { key: 'slot2', at: Date.parse(`${day}T00:30Z`), pipeline: 'other' })
    await look(at + MINUTE - 1)
    expect(await titles()).toEqual([])
    await look(at + MINUTE)
    expect((await bench.waiting()).map(({ runId }) => runId)).toEqual(['r1', 'r2'])
  })

  test('of a document that changes while it is running counts from then on', async () => {
    await bench.run('r1', { key: 'slot', at: SLOT })
    await look(SLOT + MINUTE - 1)
    bench.declare('nightly', { schedule: 'cron: "0 2 * * *", deadline: "04:00", timezone: Europe/Berlin' })
    await look(SLOT + MINUTE)
    await look(Date.parse('2026-11-21T03:01Z'))
    expect(await titles()).toEqual([
      'nightly of 2026-11-21 03:00 Europe/Berlin had not ended by its deadline, 2026-11-21 04:00 Europe/Berlin',
    ])
  })
})
