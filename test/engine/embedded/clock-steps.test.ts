import { expect, onTestFinished, test } from 'vitest'
import type { RunEvent } from '../../../src/core/run-event.ts'
import { createEngine } from '../../../src/engine/embedded/create-engine.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { describeRun } from '../../../src/runs/describe-run.ts'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { aroundAt } from '../../support/around.ts'
import { pipeline, readTestPipeline, step, testStepTypes } from '../../support/pipelines.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const DAY_MS = 86_400_000

test.each([DAY_MS, -DAY_MS])(
  'a step of the wall clock by %i ms counts as no waiting, and no duration is negative',
  async (stepMs) => {
    let steppedMs = 0
    const clock = { ...systemClock, now: () => Date.now() + steppedMs }
    const { journal, runs } = openEmbeddedState({
      folder: tempFolder(),
      redact: (text) => text,
      ...aroundAt(clock.now),
    })
    const go = Promise.withResolvers<string>()
    const events: RunEvent[] = []
    const engine = createEngine({
      journal,
      clock,
      random: () => 0.5,
      stepTypes: testStepTypes,
      // One run that is parked while it waits, and one that works all the time.
      runStep: async (_name, { stepId, wait }) => ({
        value: await (stepId === 'parked' ? wait('job', () => go.promise) : go.promise),
      }),
      readPipeline: readTestPipeline,
      env: {},
      parkAfterMs: 0,
    })
    onTestFinished(async () => {
      await engine.stop(1000)
      journal.close()
    })
    engine.watch((event) => events.push(event))
    engine.start()
    for (const id of ['parked', 'working']) {
      const document = pipeline([step(id, { timeoutMs: 3_600_000 })], { timeoutMs: 7_200_000 })
      await engine.submit({ runId: id, pipeline: document, inputs: {}, trigger: {}, folder: '/' })
    }
    await expect.poll(() => engine.load()).toEqual({ runs: 1, waits: 1 })
    steppedMs = stepMs
    // Meanwhile, the engine reads the clock several times.
    await systemClock.sleep(700)
    expect(await runs.counts()).toMatchObject({ running: 2 })
    go.resolve('done')
    await expect.poll(() => runs.counts()).toMatchObject({ running: 0 })
    for (const id of ['parked', 'working']) {
      const row = journal.find(id)
      if (!row) throw new Error('the run is gone')
      expect(row.status).toBe('succeeded')
      for (const { durationMs = 0 } of describeRun(row, journal.records(id)).steps)
        expect(durationMs).toBeGreaterThanOrEqual(0)
    }
    const durations = events.flatMap((event) => ('durationMs' in event ? [event.durationMs] : []))
    expect(durations).toHaveLength(4)
    for (const durationMs of durations) {
      expect(durationMs).toBeGreaterThanOrEqual(0)
      expect(durationMs).toBeLessThan(60_000)
    }
  },
)
