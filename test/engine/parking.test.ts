import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SteadyClock } from '../../src/core/clock.ts'
import type { Engine, StepContext, WaitContext } from '../../src/core/engine.ts'
import { AudienceError, NeedsPersonError } from '../../src/core/errors.ts'
import type { JsonObject } from '../../src/core/json.ts'
import type { Pipeline } from '../../src/core/pipeline.ts'
import type { StoredRecord } from '../../src/core/run.ts'
import type { RunEvent } from '../../src/core/run-event.ts'
import { ActiveRuns } from '../../src/engine/active-runs.ts'
import { createEngine } from '../../src/engine/embedded/create-engine.ts'
import { followEvents } from '../../src/engine/follow-events.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { Timeline } from '../../src/runs/timeline.ts'
import type { Journal } from '../../src/state/journal.ts'
import type { RunStore } from '../../src/state/run-store.ts'
import { openEmbeddedState } from '../../src/state/sqlite/open-embedded-state.ts'
import { around } from '../support/around.ts'
import { endLeases } from '../support/end-leases.ts'
import { pipeline, readTestPipeline, step, testStepTypes } from '../support/pipelines.ts'
import { turnClock } from '../support/turn-clock.ts'

let folder: string
let journal: Journal
let engine: Engine
let work: (context: StepContext) => Promise<JsonObject>
const events: RunEvent[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'audience-parking-'))
  journal = openState()
  events.length = 0
  engine = createEngine(deps())
  engine.watch((event) => events.push(event))
})

afterEach(async () => {
  await engine.stop(1000)
  journal.close()
  rmSync(folder, { recursive: true, force: true })
})

const deps = () => ({
  journal,
  clock: turnClock,
  random: Math.random,
  stepTypes: testStepTypes,
  runStep: (_name: string, context: StepContext) => work(context),
  readPipeline: readTestPipeline,
  env: {},
  parkAfterMs: 0,
})
const openState = () => openEmbeddedState({ folder, redact: (text) => text, ...around }).journal

/** An external job: how often somebody started to wait for it, and how it ends. */
function job() {
  const end = Promise.withResolvers<string>()
  const waits: WaitContext[] = []
  return {
    waits,
    end,
    begin(deps: WaitContext): Promise<string> {
      waits.push(deps)
      deps.signal.addEventListener('abort', () => end.reject(deps.signal.reason), { once: true })
      return end.promise
    },
  }
}

const submit = (own: Parameters<typeof pipeline>[1] = {}, steps = [step('a')]) =>
  engine.submit({ runId: 'r', pipeline: pipeline(steps, own), inputs: {}, trigger: {}, folder: '/' })
const parked = () => expect.poll(() => engine.load()).toEqual({ runs: 0, waits: 1 })
const emitted = (name: RunEvent['event']) => events.filter(({ event }) => event === name)
const ended = () => expect.poll(() => emitted('run.finished').length).toBe(1)

test('a run that only waits is forgotten, and goes on with what came of the wait', async () => {
  const outside = job()
  const effects: string[] = []
  work = async (context) => {
    await context.once('sent', async () => {
      effects.push('sent')
      return true
    })
    const value = await context.once('job', () => context.wait('job', outside.begin))
    return { value }
  }
  await submit()
  await parked()
  outside.end.resolve('done')
  await ended()
  expect(emitted('run.finished')).toMatchObject([{ status: 'succeeded' }])
  expect(emitted('step.finished')).toMatchObject([{ outputs: { value: 'done' } }])
  expect([effects, outside.waits.length]).toEqual([['sent'], 1])
  expect(emitted('step.started')).toHaveLength(1)
})

test('a wait that fails fails the step, though its run was forgotten', async () => {
  const outside = job()
  work = async (context) => ({ value: await context.wait('job', outside.begin) })
  await submit()
  await parked()
  outside.end.reject(new Error('the job broke'))
  await ended()
  expect(emitted('run.finished')).toMatchObject([{ status: 'failed', error: { message: 'the job broke' } }])
})

test('reports that arrive while a run is parked are recorded once, in order', async () => {
  const outside = job()
  work = async (context) => ({ value: await context.wait('job', outside.begin) })
  await submit()
  for (const status of ['PENDING', 'IN_PROGRESS']) {
    await parked()
    outside.waits[0]?.report({ kind: 'job', jobId: '7', status, waitedMs: 1 })
    await expect.poll(() => emitted('job.status').length).toBe(status === 'PENDING' ? 1 : 2)
  }
  // Another process that resumes the run reads the same status once more.
  outside.waits[0]?.report({ kind: 'job', jobId: '7', status: 'IN_PROGRESS', waitedMs: 2 })
  outside.end.resolve('done')
  await ended()
  expect(emitted('job.status')).toMatchObject([{ status: 'PENDING' }, { status: 'IN_PROGRESS' }])
  const kinds = journal.records('r').map(({ record }) => record.type)
  expect(kinds).toEqual(['run.submitted', 'step.started', 'job.status', 'job.status', 'step.finished', 'run.finished'])
})

test('a step that is out of time while its run is forgotten fails then, and nobody waits any more', async () => {
  const outside = job()
  work = async (context) => ({ value: await context.wait('job', outside.begin) })
  await submit({}, [step('a', { timeoutMs: 30_000 })])
  await parked()
  await ended()
  expect(emitted('run.finished')).toMatchObject([{ status: 'failed', error: { code: 'timeout' } }])
  expect([engine.load(), outside.waits[0]?.signal.aborted]).toEqual([{ runs: 0, waits: 0 }, true])
})

test('a run that is cancelled while it is forgotten ends, and its wait with it', async () => {
  const outside = job()
  work = async (context) => ({ value: await context.wait('job', outside.begin) })
  await submit()
  await parked()
  await engine.cancel('r')
  await ended()
  expect(emitted('run.finished')).toMatchObject([{ status: 'cancelled' }])
  expect([engine.load().waits, outside.waits[0]?.signal.aborted]).toEqual([0, true])
})

test('a run that waits for a person is forgotten until the decision comes', async () => {
  work = async ({ attempt, decision }) => {
    if (decision === 'approved') return { attempt }
    throw new NeedsPersonError('approval', { code: 'approval-wanted', message: 'may it?' })
  }
  await submit()
  await expect.poll(() => engine.load()).toEqual({ runs: 0, waits: 0 })
  await journal.send('r', { kind: 'decide', ref: { step: 'a' }, decision: 'approved' })
  await ended()
  expect(emitted('run.finished')).toMatchObject([{ status: 'succeeded' }])
})

test('an approval that has its own time fails the step of a run that is forgotten', async () => {
  work = async () => {
    throw new NeedsPersonError('approval', { code: 'approval-wanted', message: 'may it?' }, { timeoutMs: 30_000 })
  }
  await submit()
  await expect.poll(() => engine.load()).toEqual({ runs: 0, waits: 0 })
  await ended()
  expect(emitted('run.finished')).toMatchObject([{ status: 'failed', error: { code: 'approval-timeout' } }])
})

/** A step that first fails and is retried. */
function failingOnce() {
  work = async ({ attempt }) => {
    if (attempt === 1) throw new AudienceError({ code: 'job-failed', kind: 'failed', message: 'it broke' })
    return { attempt }
  }
  const retry = { maxAttempts: 2, delayMs: 800, backoff: 1, maxDelayMs: 800, on: ['jobFailed'] } as const
  return step('a', { retry })
}

test('a retry comes although its run is forgotten', async () => {
  await submit({}, [failingOnce()])
  await ended()
  expect(emitted('step.finished')).toMatchObject([{ outputs: { attempt: 2 } }])
})

test('a run that somebody follows is not forgotten', async () => {
  const outside = job()
  work = async (context) => ({ value: await context.wait('job', outside.begin) })
  await submit()
  const followed = (async () => {
    const seen: string[] = []
    for await (const { event } of engine.events('r')) seen.push(event)
    return seen
  })()
  const isWorkedOn = { runs: 1, waits: 1 }
  await expect.poll(() => engine.load()).toEqual(isWorkedOn)
  await turnClock.sleep(5000)
  expect(engine.load()).toEqual(isWorkedOn)
  outside.end.resolve('done')
  expect(await followed).toEqual(['run.started', 'step.started', 'step.finished', 'run.finished'])
})

test('an engine that stops gives back the runs that it had forgotten', async () => {
  const outside = job()
  work = async (context) => ({ value: await context.wait('job', outside.begin) })
  await submit()
  await parked()
  await engine.stop(1000)
  expect(outside.waits[0]?.signal.aborted).toBe(true)
  expect(journal.orphans()).toEqual(['r'])
})

test('of two waits side by side each keeps its own; the run rests only when both do', async () => {
  const [one, two] = [job(), job()]
  work = async (context) => ({ value: await context.wait('job', context.stepId === 'a' ? one.begin : two.begin) })
  await submit({}, [step('a'), step('b')])
  await expect.poll(() => engine.load()).toEqual({ runs: 0, waits: 2 })
  two.end.resolve('second')
  await expect.poll(() => emitted('step.finished').length).toBe(1)
  await parked()
  one.end.resolve('first')
  await ended()
  expect(emitted('step.finished')).toMatchObject([
    { step: 'b', outputs: { value: 'second' } },
    { step: 'a', outputs: { value: 'first' } },
  ])
  expect([one.waits.length, two.waits.length]).toEqual([1, 1])
})

test.each(['nobody', 'a reader', 'another process'])(
  'after a pause beyond the lease that %s noticed, a parked run is still heard of',
  async (who) => {
    work = async (context) => {
      if (context.decision === 'approved') return {}
      throw new NeedsPersonError('approval', { code: 'asked', message: 'yes?', hint: 'say so' })
    }
    engine.start()
    await submit()
    await expect.poll(() => engine.load().runs).toBe(0)
    const other = openState()
    if (who !== 'nobody') {
      endLeases(folder)
      expect(other.orphans()).toEqual(['r'])
      expect(other.find('r')?.owner).toBeUndefined()
    }
    if (who === 'another process') {
      expect(await other.claim('r')).toBe(true)
      await other.release(['r'])
    }
    await journal.send('r', { kind: 'decide', ref: { step: 'a' }, decision: 'approved' })
    await ended()
    expect(emitted('run.finished')).toMatchObject([{ status: 'succeeded' }])
    other.close()
  },
)

interface RunOptions {
  readonly clock?: SteadyClock
  readonly store?: RunStore
}

/** A run without an engine around it. */
async function runOf(document: Pipeline, { clock = turnClock, store = journal }: RunOptions = {}) {
  const runs = new ActiveRuns({ ...deps(), clock, store, timeline: new Timeline(clock) })
  const submission = { file: 'a.yaml', folder: '/', digest: '', inputs: {}, trigger: {}, text: document.text }
  const record = { type: 'run.submitted', pipeline: 'test', ...submission } as const
  await journal.submit({ runId: 'r', at: Date.now(), record })
  return { runs, activate: () => runs.activate('r', journal.records('r'), document) }
}

/** A run that waits for an external job, without an engine around it. */
async function waitingRun(outside: () => ReturnType<typeof job>, options?: RunOptions) {
  work = async (context) => ({
    value: await context.once('job', () => context.wait('job', (deps) => outside().begin(deps))),
  })
  const { runs, activate } = await runOf(pipeline([step('a')]), options)
  const untilLeaving = async () => {
    const isLeaving = () => {
      runs.tend()
      return runs.live.get('r')?.run.stopped.aborted === true
    }
    while (!isLeaving()) await systemClock.sleep(1)
  }
  const follow = (store: Pick<Journal, 'records'> = journal) =>
    followEvents('r', () => runs.live.get('r'), { ...deps(), store }, new AbortController().signal)
  return { runs, activate, untilLeaving, follow }
}
const ALL_EVENTS = ['run.started', 'step.started', 'step.finished', 'run.finished']

test('a run that is followed from the moment on in which it is parked is followed to its end', async () => {
  const outside = job()
  const { activate, untilLeaving, follow } = await waitingRun(() => outside)
  activate()
  await untilLeaving()
  const following = follow()
  const first = following.next()
  outside.end.resolve('done')
  const seen = [(await first).value, ...(await Array.fromAsync(following))]
  expect(seen.map((event) => event?.event)).toEqual(ALL_EVENTS)
  expect(seen.at(-1)).toMatchObject({ status: 'succeeded' })
})

test('a resumed run that is parked while those who follow it read its records is followed to its end', async () => {
  let outside = job()
  const { runs, activate, untilLeaving, follow } = await waitingRun(() => outside)
  activate()
  await untilLeaving()
  await expect.poll(() => runs.live.size).toBe(0)
  // As if another process resumed it.
  outside.end.promise.catch(() => undefined)
  runs.lose('r', new Error('lost'))
  outside = job()
  activate()
  let reads = 0
  const following = follow({
    records: (runId, after) => {
      reads += 1
      const found = journal.records(runId, after)
      return reads === 2 ? (untilLeaving().then(() => found) as unknown as ReturnType<Journal['records']>) : found
    },
  })
  const first = following.next()
  await expect.poll(() => runs.live.size).toBe(0)
  outside.end.resolve('done')
  const seen = [(await first).value, ...(await Array.fromAsync(following))]
  expect(seen.map((event) => event?.event)).toEqual(ALL_EVENTS)
  expect(seen.at(-1)).toMatchObject({ status: 'succeeded' })
})

test('a run that is parked when its retry is already due goes on, as after a pause of the process', async () => {
  let pausedMs = 0
  const clock: SteadyClock = {
    ...turnClock,
    now: () => turnClock.now() + pausedMs,
    steady: () => turnClock.steady() + pausedMs,
    // After a pause, timers may fire in any order: here those of the run come last.
    sleep: () => new Promise(() => undefined),
  }
  const { runs, activate } = await runOf(pipeline([failingOnce()]), { clock })
  const types = () => journal.records('r').map(({ record }) => record.type)
  activate()
  await expect.poll(types).toContain('attempt.failed')
  pausedMs = 11_000
  runs.tend()
  await expect.poll(types).toContain('run.finished')
  expect(journal.find('r')?.status).toBe('succeeded')
})

test('a run that may be parked at any moment is woken by all that it waits for', async () => {
  work = async (context) => {
    await context.wait('claim', async () => 'held')
    // After the wait, the work ends if it has been stopped.
    context.signal.throwIfAborted()
    return {}
  }
  const { runs, activate } = await runOf(pipeline([step('a')]))
  // As after a crash: until the step ends, it has nothing to record.
  const record = { type: 'step.started', step: 'a', attempt: 1 } as const
  await journal.append('r', [{ seq: 1, at: Date.now(), record }])
  activate()
  for (let turn = 0; turn < 100; turn += 1) {
    await Promise.resolve()
    runs.tend()
  }
  await expect.poll(() => journal.find('r')?.status).toBe('succeeded')
})

/** A parked run whose records come from the test. */
async function parkedRun() {
  const outside = job()
  outside.end.promise.catch(() => undefined)
  const reads: PromiseWithResolvers<readonly StoredRecord[]>[] = []
  const records = () => {
    reads.push(Promise.withResolvers())
    return reads.at(-1)?.promise ?? []
  }
  let passedMs = 0
  const clock: SteadyClock = {
    ...turnClock,
    now: () => turnClock.now() + passedMs,
    steady: () => turnClock.steady() + passedMs,
  }
  const { runs, activate, untilLeaving } = await waitingRun(() => outside, { clock, store: { ...journal, records } })
  const park = async () => {
    activate()
    await untilLeaving()
    await expect.poll(() => runs.live.size).toBe(0)
  }
  await park()
  const pass = (ms: number) => {
    passedMs += ms
  }
  return { runs, reads, park, pass, records: journal.records('r') }
}

const LEAVING = [
  ['lost', (runs: ActiveRuns) => runs.lose('r', new Error('lost'))],
  ['abandoned', (runs: ActiveRuns) => void runs.abandon(() => new Error('left'))],
] as const

test.each(LEAVING)('a parked run that is %s while its records are read does not begin here', async (_how, leave) => {
  const { runs, reads, records } = await parkedRun()
  const read = runs.unpark('r')
  leave(runs)
  reads[0]?.resolve(records)
  await read
  expect([runs.live.size, runs.has('r')]).toEqual([0, false])
})

test.each(LEAVING)(
  'a parked run that is %s while its records cannot be read is not read again',
  async (_how, leave) => {
    const { runs, reads } = await parkedRun()
    const read = runs.unpark('r')
    leave(runs)
    reads[0]?.reject(new Error('away'))
    await read
    expect(runs.has('r')).toBe(false)
  },
)

test('a parked run that has news while its records cannot be read is read again after a second', async () => {
  const { runs, reads, pass } = await parkedRun()
  const read = runs.unpark('r')
  reads[0]?.reject(new Error('away'))
  await read
  pass(1000)
  runs.tend()
  expect(reads.length).toBe(2)
})

test('a run that was lost and parked anew while its records were read begins with the newer ones', async () => {
  const { runs, reads, park, records } = await parkedRun()
  const old = runs.unpark('r')
  runs.lose('r', new Error('lost'))
  await park()
  reads[0]?.resolve(records)
  await old
  expect([runs.live.size, runs.has('r')]).toEqual([0, true])
})

test('two that have news for a parked run read its records once, and both find it active', async () => {
  const { runs, reads, records } = await parkedRun()
  const both = Promise.all([runs.unpark('r'), runs.unpark('r')])
  reads[0]?.resolve(records)
  await both
  expect([reads.length, runs.live.size]).toEqual([1, 1])
  runs.lose('r', new Error('over'))
})

test('a run that goes on is not among the parked ones any more', async () => {
  const { runs, reads, records } = await parkedRun()
  const read = runs.unpark('r')
  reads[0]?.resolve(records)
  await read
  expect(runs.abandon(() => new Error('left'))).toEqual([])
  expect(runs.live.size).toBe(1)
  runs.lose('r', new Error('over'))
})

test('a run that two resume at the same moment begins once', async () => {
  let begun = 0
  work = async ({ signal }) => {
    begun += 1
    if (begun === 1) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    return {}
  }
  await submit()
  await expect.poll(() => begun).toBe(1)
  await engine.stop(1000)
  engine = createEngine(deps())
  await Promise.all([engine.resume('r'), engine.resume('r')])
  const seen = await Array.fromAsync(engine.events('r'))
  expect(seen.at(-1)).toMatchObject({ event: 'run.finished', status: 'succeeded' })
  expect(begun).toBe(2)
})
