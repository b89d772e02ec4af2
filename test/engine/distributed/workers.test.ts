import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SteadyClock } from '../../../src/core/clock.ts'
import type { Engine, RunRequest } from '../../../src/core/engine.ts'
import { InvalidDocumentError } from '../../../src/core/errors.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { pipeline, readTestPipeline, step } from '../../support/pipelines.ts'
import { describeWithPostgres } from '../../support/postgres.ts'
import { sql, sqlRows } from '../../support/sql.ts'
import { distributedWorld } from './support/distributed-world.ts'

describeWithPostgres('workers of one database', () => {
  let world: Awaited<ReturnType<typeof distributedWorld>>
  beforeEach(async () => {
    world = await distributedWorld()
  })
  afterEach(() => world.remove())

  const submit = (engine: Pick<Engine, 'submit'>, runId: string, own: Partial<RunRequest> = {}) =>
    engine.submit({ runId, pipeline: pipeline([step('a')]), inputs: {}, trigger: {}, folder: '/', ...own })
  const all = { takesAll: true } as const

  test('of 60 slots that four workers fire, each has one run, and never do two of a group run at once', async () => {
    const inside = new Map<string, number>()
    const done: string[] = []
    const work = async ({ runId }: { runId: string }) => {
      const group = runId.slice(0, 2)
      inside.set(group, (inside.get(group) ?? 0) + 1)
      expect(inside.get(group)).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, 5))
      inside.set(group, 0)
      done.push(runId.slice(0, 5))
      return {}
    }
    const workers = await Promise.all([1, 2, 3, 4].map(() => world.open(work, all)))
    const slots = Array.from({ length: 60 }, (_, slot) => ({
      group: `g${slot % 10}`,
      slot: String(slot).padStart(2, '0'),
    }))
    await Promise.all(
      workers.map((engine, worker) =>
        Promise.all(
          slots.map(({ group, slot }) =>
            submit(engine, `${group}-${slot}-${worker}`, {
              occurrence: { trigger: 'nightly', key: slot, at: 1 },
              groups: [{ name: group, limit: 1, onConflict: 'queue' }],
            }),
          ),
        ),
      ),
    )
    await expect.poll(() => done.length).toBe(60)
    expect(done.toSorted()).toEqual(slots.map(({ group, slot }) => `${group}-${slot}`).toSorted())
  })

  test('one of them is the keeper; when it ends, another one is', async () => {
    const terms: string[] = []
    const names = ['one', 'other']
    const workers = await Promise.all(names.map(() => world.open(async () => ({}), all)))
    for (const [index, worker] of workers.entries())
      worker.onKeeper(
        () => terms.push(`${names[index]} begins`),
        () => terms.push(`${names[index]} ends`),
      )
    await expect.poll(() => workers.filter((worker) => worker.isKeeper())).toHaveLength(1)
    const first = workers[0]?.isKeeper() ? 0 : 1
    expect((await workers[0]?.workers())?.map(({ keeper }) => keeper).toSorted()).toEqual([false, true])
    await workers[first]?.stop(0)
    await expect
      .poll(() => terms)
      .toEqual([`${names[first]} begins`, `${names[first]} ends`, `${names[1 - first]} begins`])
  })

  test('a worker of a newer protocol takes the queued runs of an older one when its last worker is gone, and not before', async () => {
    const go = Promise.withResolvers<void>()
    const by: string[] = []
    const older = await world.open(
      async ({ runId }) => {
        by.push(`${runId} older`)
        await go.promise
        return {}
      },
      { ...all, protocol: 1 },
    )
    await submit(older, 'begun')
    await expect.poll(() => by).toEqual(['begun older'])
    const newer = await world.open(
      async ({ runId }) => {
        by.push(`${runId} newer`)
        return {}
      },
      { ...all, protocol: 2 },
    )
    await submit(newer, 'new')
    await expect.poll(() => by).toEqual(['begun older', 'new newer'])
    await older.stop(0)
    await expect.poll(() => by).toEqual(['begun older', 'new newer', 'begun newer'])
  })

  test('a process that cannot become a worker keeps nothing that would keep it alive', async () => {
    let asleep = 0
    const sleep: SteadyClock['sleep'] = (ms, signal) => {
      asleep += 1
      return systemClock.sleep(ms, signal).finally(() => {
        asleep -= 1
      })
    }
    await sql(world.url, 'DROP TABLE dbos.workflow_status CASCADE')
    const opening = world.open(async () => ({}), { ...all, clock: { ...systemClock, sleep } })
    await expect(opening).rejects.toMatchObject({ code: 'state-not-migrated' })
    await expect.poll(() => asleep).toBe(0)
  })

  // A process that was paused beyond its lease can take a run from its queue after others have declared it dead.
  test.each([
    ['is gone', 'DELETE FROM dbos.workflow_status'],
    ['was given to a buried process', `UPDATE dbos.workflow_status SET status = 'PENDING', executor_id = 'buried'`],
    [
      'waits for a buried process',
      `UPDATE dbos.workflow_status SET status = 'ENQUEUED', executor_id = NULL, queue_name = 'own-buried'`,
    ],
  ])('a run whose workflow %s is found and taken up', async (_name, happens) => {
    const done: string[] = []
    const reached = Promise.withResolvers<void>()
    await submit(
      await world.open(async () => {
        reached.resolve()
        return new Promise<never>(() => {})
      }, all),
      'r',
    )
    await reached.promise
    await world.crash()
    await sql(world.url, happens)
    await world.open(async ({ runId }) => {
      done.push(runId)
      return {}
    }, all)
    await expect.poll(() => done).toEqual(['r'])
  })

  test('a process that takes its own runs alone leaves the runs of others; a worker gets its runs when it is gone', async () => {
    const by: string[] = []
    const own = await world.open(async ({ runId }) => {
      by.push(`${runId} own`)
      return new Promise<never>(() => {})
    })
    await submit(own, 'mine')
    await expect.poll(() => by).toEqual(['mine own'])
    const worker = await world.open(async ({ runId }) => {
      by.push(`${runId} worker`)
      return {}
    }, all)
    await submit(worker, 'theirs')
    await expect.poll(() => by).toEqual(['mine own', 'theirs worker'])
    await own.stop(0)
    await expect.poll(() => by).toEqual(['mine own', 'theirs worker', 'mine worker'])
  })

  test('a worker that is told to stop ends its runs and begins none, and has its lease until the others get them', async () => {
    let begun = 0
    const first = await world.open(async ({ signal }) => {
      begun += 1
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      return {}
    }, all)
    await submit(first, 'r')
    await expect.poll(() => begun).toBe(1)
    await first.stopRuns(60_000)
    expect(first.load()).toMatchObject({ runs: 0 })
    await expect.poll(() => first.workers()).toMatchObject([{ runs: 1, keeper: true }])
    await world.open(async () => ({}), all)
    await first.stop(60_000)
    await expect.poll(() => sqlRows(world.url, 'SELECT status FROM audience.runs')).toEqual([{ status: 'succeeded' }])
    expect(begun).toBe(1)
  })

  test('a worker whose clock stands still loses its lease, and does nothing more', async () => {
    const by: string[] = []
    const answer = Promise.withResolvers<void>()
    const clock: SteadyClock = {
      ...systemClock,
      sleep: (_ms, signal) =>
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    }
    const standing = await world.open(
      async ({ stepId, assertOwned }) => {
        // As before each request to the service.
        await assertOwned()
        by.push(`${stepId} standing`)
        await answer.promise
        return {}
      },
      { ...all, clock },
    )
    await submit(standing, 'r', { pipeline: pipeline([step('a'), step('b', { needs: ['a'] })]) })
    await expect.poll(() => by).toEqual(['a standing'])
    await world.open(async ({ stepId }) => ({ by: by.push(`${stepId} other`) }), all)
    // The other one renews its lease with its next heartbeat.
    await world.endLeases()
    const statuses = () => sqlRows(world.url, 'SELECT status FROM audience.runs')
    await expect.poll(statuses).toEqual([{ status: 'succeeded' }])
    const records = () => sqlRows(world.url, 'SELECT count(*)::int AS count FROM audience.records')
    const before = await records()
    answer.resolve()
    await expect.poll(() => standing.load().runs).toBe(0)
    expect([by, await records()]).toEqual([['a standing', 'a other', 'b other'], before])
  })

  test('the runs of another service are left alone', async () => {
    const by: string[] = []
    const here = { profile: 'production', service: 'https://audience.example.com' }
    const other = await world.open(async ({ runId }) => ({ by: by.push(`${runId} other`) }), all)
    const one = await world.open(async ({ runId }) => ({ by: by.push(`${runId} one`) }), { ...all, here })
    await submit(one, 'a')
    await submit(other, 'b')
    await expect.poll(() => by.toSorted()).toEqual(['a one', 'b other'])
    await expect(other.resume('nobody')).rejects.toMatchObject({ code: 'unknown-run' })
  })

  test('of more runs than it may, a worker works on some at a time, and on all in the end', async () => {
    let now = 0
    let most = 0
    let done = 0
    const full = Promise.withResolvers<void>()
    const worker = await world.open(
      async () => {
        now += 1
        most = Math.max(most, now)
        if (now === 3) full.resolve()
        await full.promise
        await new Promise((resolve) => setTimeout(resolve, 5))
        now -= 1
        done += 1
        return {}
      },
      { ...all, maxRuns: 3 },
    )
    await Promise.all(Array.from({ length: 20 }, (_, index) => submit(worker, `r${index}`)))
    await expect.poll(() => done).toBe(20)
    expect(most).toBe(3)
  })

  test('a run that this version cannot read is reported, and stays as it is', async () => {
    const told: string[] = []
    const worker = await world.open(async () => ({}), {
      ...all,
      readPipeline: (source) => {
        const document = readTestPipeline(source)
        if (document.name === 'new') throw new InvalidDocumentError(source.file, source.text, [])
        return document
      },
      onUnreadable: (runId) => void told.push(runId),
    })
    await submit(await world.openSubmitter(), 'r', { pipeline: pipeline([step('a')], { name: 'new' }) })
    await expect.poll(() => told).toEqual(['r'])
    expect(worker.stuck()).toEqual([])
    expect(worker.load().runs).toBe(0)
  })
})
