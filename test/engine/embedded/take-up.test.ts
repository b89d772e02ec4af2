import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Engine } from '../../../src/core/engine.ts'
import { NeedsPersonError } from '../../../src/core/errors.ts'
import type { RunEvent } from '../../../src/core/run-event.ts'
import { createEngine } from '../../../src/engine/embedded/create-engine.ts'
import type { EngineDeps } from '../../../src/engine/engine-deps.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import type { Journal } from '../../../src/state/journal.ts'
import type { SentMessage } from '../../../src/state/run-history.ts'
import { memoryJournal } from '../../support/memory-journal.ts'
import { pipeline, readTestPipeline, step, testStepTypes } from '../../support/pipelines.ts'

/**
 * An engine that does not execute the run `r` yet. The first step of the run had started. The engine owns the run,
 * nobody owns it, or it is queued. The engine looks for runs when the test says so.
 */
async function takenUp({
  sent = [],
  of = 'us',
  readPipeline = readTestPipeline,
  runStep = async () => ({}),
}: {
  readonly sent?: readonly SentMessage[]
  readonly of?: 'us' | 'nobody' | 'queue'
  readonly readPipeline?: typeof readTestPipeline
  readonly runStep?: EngineDeps['runStep']
}) {
  let messages = sent
  const journal = {
    ...memoryJournal(new Map()),
    held: () => (of === 'us' ? ['r'] : []),
    orphans: () => (of === 'nobody' ? ['r'] : []),
    admit: async ({ orphans }: { orphans: boolean }) => (of === 'queue' && orphans ? ['r'] : []),
    find: (runId: string) => (runId === 'r' ? { status: 'running' } : undefined),
    messages: () => messages,
    async acknowledge(id: number) {
      messages = messages.filter((one) => one.id !== id)
    },
  } as unknown as Journal
  const { file, digest, text } = pipeline([step('a')])
  const submission = { pipeline: 'test', file, folder: '/', digest, text, inputs: {}, trigger: {} }
  await journal.submit({ runId: 'r', at: 0, record: { type: 'run.submitted', ...submission } })
  await journal.append('r', [{ seq: 1, at: 0, record: { type: 'step.started', step: 'a', attempt: 1 } }])
  let steady = 0
  const waits: (() => void)[] = []
  const engine = createEngine({
    ...{ journal, random: () => 0.5, stepTypes: testStepTypes, readPipeline, env: {} },
    clock: {
      ...systemClock,
      now: () => steady,
      steady: () => steady,
      sleep: () => new Promise<void>((go) => waits.push(go)),
    },
    runStep,
  })
  const events: RunEvent[] = []
  const ended = Promise.withResolvers<void>()
  engine.watch((event) => {
    events.push(event)
    if (event.event === 'run.finished') ended.resolve()
  })
  engine.start()
  return {
    engine,
    ended: ended.promise,
    told: () => events.map((event) => ('status' in event ? `${event.event} ${event.status}` : event.event)),
    async lookAt(ms: number) {
      while (waits.length === 0) await turn()
      steady = ms
      for (const go of waits.splice(0)) go()
      while (waits.length === 0) await turn()
    },
  }
}

test('a message for a run that this process does not work on yet is kept until it does', async () => {
  const { ended, told } = await takenUp({ sent: [{ id: 1, runId: 'r', message: { kind: 'cancel' } }] })
  await ended
  expect(told().at(-1)).toBe('run.finished cancelled')
})

test('a message for a run that was removed meanwhile holds up no other run', async () => {
  const { told, lookAt } = await takenUp({ sent: [{ id: 1, runId: 'removed', message: { kind: 'cancel' } }] })
  await lookAt(0)
  expect(told().at(-1)).toBe('run.finished succeeded')
})

test('a queued run of no process begins with the next look of an engine that was started', async () => {
  const { told, lookAt } = await takenUp({ of: 'queue' })
  await lookAt(0)
  expect(told().at(-1)).toBe('run.finished succeeded')
})

test('of a run that is taken up nothing is told that was told before', async () => {
  const { ended, told } = await takenUp({})
  await ended
  expect(told()).toEqual(['step.finished succeeded', 'run.finished succeeded'])
})

test('a run that could not be read is read again after a minute, and no sooner', async () => {
  let reads = 0
  const { lookAt } = await takenUp({
    of: 'nobody',
    readPipeline() {
      reads += 1
      throw new Error('of another version')
    },
  })
  const seen: number[] = []
  for (const at of [0, 58_999, 60_000, 118_999, 120_000]) {
    await lookAt(at)
    seen.push(reads)
  }
  expect(seen).toEqual([1, 1, 2, 2, 3])
})

test('a run that could not be taken up is stuck until it is worked on, and counts once', async () => {
  const held = Promise.withResolvers<Record<string, never>>()
  let reads = 0
  const { engine, ended, lookAt } = await takenUp({
    readPipeline(submission) {
      reads += 1
      if (reads === 1) throw new Error('the disk is away')
      return readTestPipeline(submission)
    },
    runStep: () => held.promise,
  })
  await lookAt(0)
  expect([engine.stuck(), engine.load()]).toEqual([['r'], { runs: 1, waits: 0 }])
  await lookAt(1000)
  expect([engine.stuck(), engine.load()]).toEqual([[], { runs: 1, waits: 0 }])
  held.resolve({})
  await ended
})

test('of many runs that only wait, few are active at a time while they are taken up', async () => {
  const ids = Array.from({ length: 1000 }, (_, at) => `r${at}`)
  let most = 0
  const journal = {
    ...memoryJournal(new Map()),
    orphans: () => ids,
    async claim() {
      most = Math.max(most, engine.load().runs)
      await turn()
      return true
    },
  }
  const { file, digest, text } = pipeline([step('a')])
  const submission = { pipeline: 'test', file, folder: '/', digest, text, inputs: {}, trigger: {} }
  for (const runId of ids) await journal.submit({ runId, at: 0, record: { type: 'run.submitted', ...submission } })
  const engine: Engine = createEngine({
    ...{ journal, random: () => 0.5, stepTypes: testStepTypes, readPipeline: readTestPipeline, env: {} },
    ...{ clock: systemClock, parkAfterMs: 0 },
    async runStep() {
      throw new NeedsPersonError('approval', { code: 'approval-wanted', message: 'may it?' })
    },
  })
  engine.start()
  await expect.poll(() => [journal.records('r999').length, engine.load().runs]).toEqual([3, 0])
  expect(most).toBeLessThanOrEqual(400)
  await engine.stop(0)
})
