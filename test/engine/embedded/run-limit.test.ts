import { expect, test } from 'vitest'
import type { SteadyClock } from '../../../src/core/clock.ts'
import { createEngine } from '../../../src/engine/embedded/create-engine.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { openEmbeddedState } from '../../../src/state/sqlite/open-embedded-state.ts'
import { around } from '../../support/around.ts'
import { pipeline, readTestPipeline, step, testStepTypes } from '../../support/pipelines.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/**
 * An engine with room for two runs. Their steps end when the test says so, or immediately if their run has a parent.
 */
function limited(
  folder = tempFolder(),
  {
    cancelChildren,
    answered = async () => undefined,
    clock = systemClock,
  }: { cancelChildren?: () => Promise<void>; answered?: () => Promise<void>; clock?: SteadyClock } = {},
) {
  const { journal, runs } = openEmbeddedState({ folder, redact: (text) => text, ...around })
  const admit: typeof journal.admit = async (admission) => {
    const admitted = await journal.admit(admission)
    if (admitted.length > 0) await answered()
    return admitted
  }
  const gates = new Map<string, PromiseWithResolvers<void>>()
  let most = 0
  let working = 0
  const engine = createEngine({
    journal: { ...journal, admit },
    clock,
    random: Math.random,
    stepTypes: testStepTypes,
    async runStep(_name, { runId }) {
      working += 1
      most = Math.max(most, working)
      await gates.get(runId)?.promise
      working -= 1
      return {}
    },
    readPipeline: readTestPipeline,
    env: {},
    maxRuns: 2,
    cancelChildren,
  })
  const document = pipeline([step('a')])
  return {
    engine,
    journal,
    runs,
    most: () => most,
    submit(runId: string, own: { readonly parent?: string } = {}) {
      if (own.parent === undefined) gates.set(runId, Promise.withResolvers())
      return engine.submit({ runId, pipeline: document, inputs: {}, trigger: {}, folder: '/', ...own })
    },
    finish: (runId: string) => gates.get(runId)?.resolve(),
    async close() {
      await engine.stop(1000)
      journal.close()
    },
  }
}

test('a process works on no more runs than it may, however many are submitted at once; the others wait their turn', async () => {
  const bench = limited()
  const ids = ['a', 'b', 'c', 'd', 'e']
  const states = await Promise.all(ids.map(async (id) => (await bench.submit(id)).state))
  expect(states).toEqual(['running', 'running', 'queued', 'queued', 'queued'])
  for (const id of ids) {
    await expect.poll(() => bench.journal.find(id)?.status).toBe('running')
    bench.finish(id)
    await expect.poll(() => bench.journal.find(id)?.status).toBe('succeeded')
  }
  expect(bench.most()).toBe(2)
  await bench.close()
})

test('a run that ends lets the next one in: that waits for no look', async () => {
  const sleep = (_ms: number, signal?: AbortSignal) =>
    new Promise<void>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  const bench = limited(tempFolder(), { clock: { ...systemClock, sleep } })
  for (const id of ['a', 'b', 'c']) await bench.submit(id)
  bench.finish('a')
  await expect.poll(() => bench.journal.find('c')?.status).toBe('running')
  for (const id of ['b', 'c']) bench.finish(id)
  await bench.close()
})

test('a run that was admitted takes its place before that is answered', async () => {
  const answer = Promise.withResolvers<void>()
  const bench = limited(tempFolder(), { answered: () => answer.promise })
  for (const id of ['a', 'b', 'c']) await bench.submit(id)
  bench.finish('a')
  await expect.poll(() => bench.journal.find('c')?.status).toBe('running')
  expect(await bench.submit('d')).toMatchObject({ state: 'queued' })
  answer.resolve()
  for (const id of ['b', 'c', 'd']) bench.finish(id)
  await expect.poll(() => bench.journal.find('d')?.status).toBe('succeeded')
  expect(bench.most()).toBe(2)
  await bench.close()
})

test('a run that another one waits for takes no place: it would wait for its own parent', async () => {
  const bench = limited()
  await Promise.all(['a', 'b'].map((id) => bench.submit(id)))
  expect(await bench.submit('child', { parent: 'a' })).toMatchObject({ state: 'running' })
  await expect.poll(() => bench.journal.find('child')?.status).toBe('succeeded')
  await bench.close()
})

test('a queued run that is cancelled ends without a step, and whoever is behind it goes on', async () => {
  const bench = limited()
  for (const id of ['a', 'b', 'c', 'd']) await bench.submit(id)
  await bench.engine.cancel('c')
  await expect.poll(() => bench.journal.find('c')?.status).toBe('cancelled')
  expect(bench.journal.records('c').map(({ record }) => record.type)).not.toContain('step.started')
  bench.finish('a')
  await expect.poll(() => bench.journal.find('d')?.status).toBe('running')
  await bench.close()
})

test('a queued run stays queued when its engine stops, and another one takes it up', async () => {
  const bench = limited()
  for (const id of ['a', 'b', 'c']) await bench.submit(id)
  expect(await bench.runs.counts()).toEqual({ queued: 1, running: 2, waiting: 0 })
  await bench.engine.stop(0)
  await expect.poll(() => bench.journal.find('c')?.owner).toBeUndefined()
  expect(bench.journal.find('c')).toMatchObject({ status: 'queued' })
  bench.journal.close()
})

test('a queued run of no process that is cancelled ends, and is not let in beside that', async () => {
  const folder = tempFolder()
  const first = limited(folder)
  for (const id of ['a', 'b', 'c']) await first.submit(id)
  await first.close()
  // While the engine looks for runs that the cancelled run started, it also looks for room for queued runs.
  const looking = Promise.withResolvers<void>()
  const second = limited(folder, { cancelChildren: () => looking.promise })
  const events = Array.fromAsync(second.engine.events('c'))
  await second.engine.cancel('c')
  await expect.poll(() => second.journal.records('c').length).toBe(2)
  await second.submit('d')
  second.finish('d')
  await expect.poll(() => second.journal.find('d')?.status).toBe('succeeded')
  looking.resolve()
  expect((await events).at(-1)).toMatchObject({ event: 'run.finished', status: 'cancelled' })
  expect(second.journal.records('c').map(({ record }) => record.type)).toEqual([
    ...['run.submitted', 'cancel.requested', 'step.finished', 'run.finished'],
  ])
  await second.close()
})
