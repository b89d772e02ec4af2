import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Engine, RunRequest, StepContext } from '../../../src/core/engine.ts'
import { openPostgresState, type PostgresState } from '../../../src/state/postgres/open-postgres-state.ts'
import { around } from '../../support/around.ts'
import { pipeline, step } from '../../support/pipelines.ts'
import { describeWithPostgres } from '../../support/postgres.ts'
import { sql, sqlRows } from '../../support/sql.ts'
import { distributedWorld } from './support/distributed-world.ts'

describeWithPostgres('a draining worker', () => {
  let world: Awaited<ReturnType<typeof distributedWorld>>
  let state: PostgresState
  beforeEach(async () => {
    world = await distributedWorld()
    state = await openPostgresState({ url: world.url, redact: (text) => text, ...around })
  })
  afterEach(async () => {
    await state.close()
    await world.remove()
  })

  const all = { takesAll: true, parkAfterMs: 10 } as const
  const submit = (engine: Pick<Engine, 'submit'>, runId: string, own: Partial<RunRequest> = {}) =>
    engine.submit({ runId, pipeline: pipeline([step('a')]), inputs: {}, trigger: {}, folder: '/', ...own })
  const childOf = (parent: string) => ({ parent, trigger: { kind: 'run', parent, depth: 1 } })
  const workers = () => state.workers?.list() ?? Promise.resolve([])
  const drainFirst = async () => {
    const [first] = await workers()
    return first !== undefined && (await state.workers?.drain(first, { by: 'tester' }))
  }
  const undrainFirst = async () => {
    const [first] = await workers()
    return first !== undefined && (await state.workers?.undrain(first, { by: 'tester' }))
  }
  const statuses = async () =>
    Object.fromEntries((await state.runs.page({ limit: 100 })).rows.map(({ runId, status }) => [runId, status]))

  /** Two workers. The first executes the run `held` until `go` resolves. */
  async function twoWorkers() {
    const by: string[] = []
    const go = Promise.withResolvers<void>()
    const first = await world.open(async ({ runId }) => {
      by.push(`${runId} first`)
      if (runId === 'held') await go.promise
      return {}
    }, all)
    await submit(first, 'held')
    await expect.poll(() => by).toEqual(['held first'])
    const other = await world.open(async ({ runId }) => {
      by.push(`${runId} other`)
      return {}
    }, all)
    return { first, other, by, go }
  }

  test('takes nothing new, ends when its run has, and leaves the role of the keeper', async () => {
    const { first, other, by, go } = await twoWorkers()
    await expect.poll(() => first.isKeeper()).toBe(true)
    expect(await drainFirst()).toBe(true)
    await expect.poll(() => first.isDraining()).toBe(true)
    await expect.poll(() => first.isKeeper()).toBe(false)
    // The lease of its role is long in tests.
    await sql(world.url, 'UPDATE audience.roles SET expires_at = now()')
    await expect.poll(() => other.isKeeper()).toBe(true)
    const submitter = await world.openSubmitter()
    const roots = Array.from({ length: 12 }, (_, index) => `r${index}`)
    for (const runId of roots) await submit(submitter, runId)
    await submit(first, 'child', childOf('held'))
    await expect.poll(() => by.length).toBe(14)
    expect(by.filter((one) => one.startsWith('r')).toSorted()).toEqual(roots.map((one) => `${one} other`).toSorted())
    let hasEnded = false
    void first.drained.then(() => {
      hasEnded = true
    })
    expect(hasEnded).toBe(false)
    go.resolve()
    await first.drained
    await first.stop(1000)
    const all14 = ['held', 'child', ...roots].map((runId) => [runId, 'succeeded'])
    await expect.poll(statuses).toEqual(Object.fromEntries(all14))
    expect(by).toHaveLength(14)
    expect((await state.audit.list({ limit: 9 })).map(({ act, subject, by: who }) => [act, subject, who])).toEqual([
      ['worker.drain', expect.stringMatching(/:\d+$/), 'tester'],
    ])
  })

  test('works on the children of its runs if nobody else does, and keeps other runs until somebody does', async () => {
    const { first, other, by, go } = await twoWorkers()
    expect(await drainFirst()).toBe(true)
    // It hears of that with its next heartbeat. Until then it would begin `root`.
    await expect.poll(() => first.isDraining()).toBe(true)
    await other.stop(1000)
    await expect.poll(async () => (await workers()).length).toBe(1)
    await submit(first, 'root')
    const [{ executor = '' } = {}] = await workers()
    const given = `SELECT 1 FROM dbos.workflow_status WHERE workflow_uuid = 'root' AND status = 'PENDING' AND executor_id = '${executor}'`
    await expect.poll(() => sqlRows(world.url, given)).toHaveLength(1)
    await submit(first, 'child', childOf('held'))
    await expect.poll(() => by).toEqual(['held first', 'child first'])
    expect(await state.runs.find('root')).toMatchObject({ queuedFor: 'noWorker' })
    await expect.poll(() => first.isKeeper()).toBe(true)
    go.resolve()
    await first.drained
    await first.stop(1000)
    await world.open(async ({ runId }) => ({ by: by.push(`${runId} third`) }), all)
    await expect.poll(() => by).toEqual(['held first', 'child first', 'root third'])
    await expect.poll(statuses).toEqual({ held: 'succeeded', child: 'succeeded', root: 'succeeded' })
  })

  test('gives a run that waits away when another worker is there, and keeps it until then', async () => {
    const answer = Promise.withResolvers<string>()
    const by: string[] = []
    const work = (name: string) => async (context: StepContext) => {
      await context.once('write', async () => by.push(`write ${name}`))
      return {
        value: await context.wait('answer', () => (name === 'first' ? new Promise<string>(() => {}) : answer.promise)),
      }
    }
    const first = await world.open(work('first'), all)
    await submit(first, 'waits')
    await expect.poll(() => first.load()).toMatchObject({ runs: 0, waits: 1 })
    expect(await drainFirst()).toBe(false)
    await sql(world.url, 'UPDATE audience.workers SET draining_since = now()')
    await expect.poll(() => first.isDraining()).toBe(true)
    expect(first.load()).toMatchObject({ waits: 1 })
    const other = await world.open(work('other'), all)
    await first.drained
    await expect.poll(() => other.load()).toMatchObject({ waits: 1 })
    expect(first.load()).toMatchObject({ runs: 0, waits: 0 })
    await first.stop(1000)
    answer.resolve('yes')
    await expect.poll(statuses).toEqual({ waits: 'succeeded' })
    expect(by).toEqual(['write first'])
  })

  test('lets those go to others that wait for room', async () => {
    const by: string[] = []
    const go = Promise.withResolvers<void>()
    const first = await world.open(
      async ({ runId }) => {
        by.push(`${runId} first`)
        await go.promise
        return {}
      },
      { ...all, maxRuns: 1 },
    )
    for (const runId of ['r0', 'r1', 'r2']) await submit(first, runId)
    const given = `SELECT 1 FROM dbos.workflow_status WHERE status = 'PENDING'`
    await expect.poll(() => sqlRows(world.url, given)).toHaveLength(3)
    await world.open(async ({ runId }) => ({ by: by.push(`${runId} other`) }), all)
    expect(await drainFirst()).toBe(true)
    await expect.poll(() => by.length).toBe(3)
    expect(by.map((one) => one.slice(3))).toEqual(['first', 'other', 'other'])
    go.resolve()
    await first.drained
    await expect.poll(statuses).toEqual({ r0: 'succeeded', r1: 'succeeded', r2: 'succeeded' })
  })

  test('of two that are to drain at once one does, and takes runs again when it is asked to', async () => {
    const { first, other, by, go } = await twoWorkers()
    const rows = await workers()
    const drained = await Promise.all(rows.map((row) => state.workers?.drain(row, { by: 'tester' })))
    expect(drained.toSorted()).toEqual([false, true])
    await expect.poll(() => [first.isDraining(), other.isDraining()].toSorted()).toEqual([false, true])
    const [draining, busy] = first.isDraining() ? [first, other] : [other, first]
    await busy.stop(0)
    await submit(draining, 'root')
    for (const row of rows) await state.workers?.undrain(row, { by: 'tester' })
    await expect.poll(() => by.some((one) => one.startsWith('root'))).toBe(true)
    expect(draining.isDraining()).toBe(false)
    go.resolve()
    await expect.poll(async () => (await statuses()).root).toBe('succeeded')
    expect(await undrainFirst()).toBe(false)
  })
})
