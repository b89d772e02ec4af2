import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { StepContext } from '../../src/core/engine.ts'
import { AudienceError, NeedsPersonError } from '../../src/core/errors.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { Pipeline } from '../../src/core/pipeline.ts'
import type { RunRecord } from '../../src/core/run.ts'
import { ActiveRuns } from '../../src/engine/active-runs.ts'
import { PARKED } from '../../src/engine/waits.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { Timeline } from '../../src/runs/timeline.ts'
import type { RunStore } from '../../src/state/run-store.ts'
import { memoryJournal } from '../support/memory-journal.ts'
import { pipeline, readTestPipeline, step, testStepTypes } from '../support/pipelines.ts'

/** The run `r`, on a clock that the test controls. */
async function running(
  document: Pipeline,
  work: (context: StepContext) => Promise<JsonObject>,
  { parkAfterMs, unparked, ...own }: Partial<RunStore> & { parkAfterMs?: number; unparked?: number } = {},
) {
  let now = 10_000
  const store = { ...memoryJournal(new Map()), ...own }
  // Time wakes nothing here: a run rests until the test looks at it.
  const clock = { ...systemClock, now: () => now, steady: () => now, sleep: () => new Promise<void>(() => undefined) }
  const runs = new ActiveRuns({
    ...{ store, clock, timeline: new Timeline(clock), random: () => 0.5 },
    ...{ stepTypes: testStepTypes, readPipeline: readTestPipeline, env: {}, parkAfterMs, unparked },
    runStep: (_name, context) => work(context),
  })
  const left: unknown[] = []
  runs.onLeft((_runId, reason) => left.push(reason))
  const { file, digest, text } = document
  const given = { pipeline: 'test', file, folder: '/', digest, text, inputs: {}, trigger: {} }
  await store.submit({ runId: 'r', at: now, record: { type: 'run.submitted', ...given } })
  runs.activate('r', store.records('r') as never, document)
  const settle = async () => {
    for (let turns = 0; turns < 5; turns += 1) await turn()
  }
  await settle()
  return {
    runs,
    left,
    settle,
    pass: (ms: number) => {
      now += ms
    },
    records: () => (store.records('r') as readonly { readonly record: RunRecord }[]).map(({ record }) => record),
    /** The milliseconds until the next run is due, and the number of live runs. */
    async tend() {
      const next = runs.tend()
      await settle()
      return [next, runs.live.size]
    },
  }
}

const waiting = (context: StepContext) => context.wait('job', () => new Promise<JsonObject>(() => undefined))
const NEVER = Number.POSITIVE_INFINITY

test.each([
  [undefined, 1000],
  [5000, 5000],
])('a run that only waits is parked after %s ms without news', async (parkAfterMs, ms) => {
  const { runs, left, tend, pass } = await running(pipeline([step('a')]), waiting, { parkAfterMs })
  expect(await tend()).toEqual([NEVER, 1])
  pass(ms - 1)
  expect(await tend()).toEqual([NEVER, 1])
  pass(1)
  expect(await tend()).toEqual([NEVER, 0])
  expect([left, runs.has('r'), runs.waits]).toEqual([[PARKED], true, 1])
})

test.each([
  [0, 0],
  [1, 1],
])('with room in memory for %s, %s of one run that waits stays there', async (unparked, live) => {
  const { tend, pass } = await running(pipeline([step('a')]), waiting, { unparked })
  pass(1_000_000)
  expect(await tend()).toEqual([NEVER, live])
})

test('a run that works is never parked', async () => {
  const { tend, pass } = await running(pipeline([step('a')]), () => new Promise(() => undefined), { parkAfterMs: 0 })
  pass(1_000_000)
  expect(await tend()).toEqual([NEVER, 1])
})

const asks = async () => {
  throw new NeedsPersonError('approval', { code: 'approval-wanted', message: 'may it?' }, { timeoutMs: 60_000 })
}

test('a parked run goes on when its approval is out of time, and not before', async () => {
  const { runs, tend, pass, settle, records } = await running(pipeline([step('a')]), asks, { parkAfterMs: 0 })
  await tend()
  expect(await tend()).toEqual([60_000, 0])
  pass(59_999)
  expect(await tend()).toEqual([1, 0])
  pass(1)
  await tend()
  await settle()
  expect(records().at(-1)).toMatchObject({ type: 'run.finished', status: 'failed' })
  expect(runs.has('r')).toBe(false)
})

test('a parked run is tried again when its retry is due', async () => {
  const retry = { maxAttempts: 2, delayMs: 800, backoff: 1, maxDelayMs: 800, on: ['jobFailed'] } as const
  const work = async ({ attempt }: StepContext) => {
    if (attempt === 1) throw new AudienceError({ code: 'job-failed', kind: 'failed', message: 'it broke' })
    return { attempt }
  }
  const { tend, pass, records } = await running(pipeline([step('a', { retry })]), work, { parkAfterMs: 0 })
  await tend()
  const [next = 0] = await tend()
  expect(next).toBeGreaterThan(0)
  expect(next).toBeLessThanOrEqual(800)
  pass(next - 1)
  expect(await tend()).toEqual([1, 0])
  pass(1)
  await tend()
  expect(records().at(-1)).toMatchObject({ type: 'run.finished', status: 'succeeded' })
})

test('a parked run whose time is up is due when it is out of time as a whole step', async () => {
  const { tend, pass, records } = await running(pipeline([step('a', { timeoutMs: 30_000 })]), waiting, {
    parkAfterMs: 0,
  })
  await tend()
  expect(await tend()).toEqual([30_000, 0])
  pass(30_000)
  await tend()
  expect(records().map(({ type }) => type)).toContain('step.started')
})

test('what was left before is noted once, and guards only where there are some', async () => {
  const { records } = await running(pipeline([step('a')], { readsLast: true }), async () => ({}))
  const noted = records().find(({ type }) => type === 'last.noted')
  expect(noted).toEqual({ type: 'last.noted', last: undefined, guards: undefined })
})

test('the runs that a process leaves end their waits with a reason each, and are told', async () => {
  let reason: unknown
  const work = (context: StepContext) =>
    context.wait('job', ({ signal }) => {
      signal.addEventListener('abort', () => {
        reason = signal.reason
      })
      return new Promise<JsonObject>(() => undefined)
    })
  const { runs, tend, pass } = await running(pipeline([step('a')]), work)
  expect(runs.abandon(() => 'nothing is parked')).toEqual([])
  pass(1000)
  await tend()
  expect(runs.abandon((runId) => `${runId} is left`)).toEqual(['r'])
  expect([reason, runs.waits, runs.has('r')]).toEqual(['r is left', 0, false])
})
