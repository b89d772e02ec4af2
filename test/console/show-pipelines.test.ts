import { expect, test } from 'vitest'
import type { ConsoleDeps } from '../../src/console/server/console-deps.ts'
import { pipelineHandlers } from '../../src/console/server/handlers/show-pipelines.ts'
import { pipeline, step } from '../support/pipelines.ts'

test('a pipeline is shown with its last run, and with its newest ones from the oldest on', async () => {
  const run = (runId: string, submittedAt: number) => ({ runId, pipeline: 'test', status: 'succeeded', submittedAt })
  const runs = { newestOf: async () => [{ last: run('b', 2), runs: [run('b', 2), run('a', 1)] }] }
  const deps = {
    state: { runs, occurrences: { memories: async () => [] }, mutes: { list: async () => [] } },
    clock: { now: () => 0 },
    documents: () => new Map([['test', { pipeline: pipeline([step('s')]), file: 'test.yaml', folder: '/' }]]),
    problems: () => [],
  } as unknown as ConsoleDeps
  expect(await pipelineHandlers['pipelines.get'](deps, { pipeline: 'test' })).toMatchObject({
    pipeline: { name: 'test', steps: 1, lastRun: { runId: 'b' }, newest: [{ runId: 'a' }, { runId: 'b' }] },
  })
})

test('pipelines are listed by name, each with the longest mute that has begun', async () => {
  const names = ['b', 'c', 'a']
  const mute = (pipelines: string, since: number, until: number) => ({ pipelines, since, until })
  const deps = {
    state: {
      runs: { newestOf: async () => [] },
      occurrences: { memories: async () => [] },
      mutes: { list: async () => [mute('a', 10, 50), mute('b', 10, 50), mute('*', 5, 60), mute('c', 11, 90)] },
    },
    clock: { now: () => 10 },
    documents: () =>
      new Map(
        names.map((name) => [name, { pipeline: { ...pipeline([step('s')]), name }, file: 'test.yaml', folder: '/' }]),
      ),
    problems: () => [],
  } as unknown as ConsoleDeps
  const until = new Date(60).toISOString()
  expect(await pipelineHandlers['pipelines.list'](deps)).toMatchObject({
    pipelines: ['a', 'b', 'c'].map((name) => ({ name, muted: { pipelines: '*', until } })),
  })
})
