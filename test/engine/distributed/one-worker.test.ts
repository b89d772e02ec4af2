import { expect, test } from 'vitest'
import type { StepContext } from '../../../src/core/engine.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { openPostgresState } from '../../../src/state/postgres/open-postgres-state.ts'
import { around } from '../../support/around.ts'
import { pipeline, step } from '../../support/pipelines.ts'
import { describeWithPostgres } from '../../support/postgres.ts'
import { distributedWorld } from './support/distributed-world.ts'
import { freshDbos } from './support/fresh-dbos.ts'

describeWithPostgres('a worker', () => {
  test('asks for messages to its runs only while it has some', async () => {
    const world = await distributedWorld()
    const state = await openPostgresState({ url: world.url, redact: (text) => text, ...around })
    let asked = 0
    const rows: typeof state.db.rows = (text, values) => {
      if (text.includes('audience.messages')) asked += 1
      return state.db.rows(text, values)
    }
    let sleeps = 0
    const sleep: typeof systemClock.sleep = (ms, signal) => {
      sleeps += 1
      return systemClock.sleep(ms, signal)
    }
    const held = Promise.withResolvers<void>()
    try {
      const engine = await world.open(() => held.promise.then(() => ({})), {
        state: { ...state, db: { ...state.db, rows } },
        clock: { ...systemClock, sleep },
      })
      // The heartbeat of the worker pauses for 100 s, so all other queries are its checks.
      await expect.poll(() => sleeps).toBeGreaterThan(4)
      expect(asked).toBe(0)
      await engine.submit({ runId: 'r', pipeline: pipeline([step('a')]), inputs: {}, trigger: {}, folder: '/' })
      await expect.poll(() => asked).toBeGreaterThan(0)
    } finally {
      held.resolve()
      await world.remove()
      await state.close()
    }
  })

  test('that stops has given up its lease before it lets go of its runs', async () => {
    const world = await distributedWorld()
    const state = await openPostgresState({ url: world.url, redact: (text) => text, ...around })
    const done: string[] = []
    const sdk = freshDbos()
    const shutdown = sdk.DBOS.shutdown.bind(sdk.DBOS)
    sdk.DBOS.shutdown = (options) => {
      done.push('runs')
      return shutdown(options)
    }
    const query: typeof state.db.query = async (text, values) => {
      const answer = await state.db.query(text, values)
      if (text.includes('UPDATE audience.workers SET expires_at = now() WHERE')) done.push('lease')
      return answer
    }
    try {
      const engine = await world.open(async () => ({}), { state: { ...state, db: { ...state.db, query } }, sdk })
      await engine.stop(1000)
      expect(done).toEqual(['lease', 'runs'])
    } finally {
      await world.remove()
      await state.close()
    }
  })

  test('that stops ends what its parked runs wait for', async () => {
    const world = await distributedWorld()
    const waits: AbortSignal[] = []
    const work = async (context: StepContext) => ({
      value: await context.wait('job', ({ signal }) => {
        waits.push(signal)
        return new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      }),
    })
    try {
      const engine = await world.open(work, { parkAfterMs: 0 })
      await engine.submit({ runId: 'r', pipeline: pipeline([step('a')]), inputs: {}, trigger: {}, folder: '/' })
      await expect.poll(() => engine.load()).toEqual({ runs: 0, waits: 1 })
      expect(waits.map(({ aborted }) => aborted)).toEqual([false])
      await engine.stop(1000)
      expect(waits.map(({ aborted }) => aborted)).toEqual([true])
    } finally {
      await world.remove()
    }
  })
})
