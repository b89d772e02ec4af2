import { expect, test } from 'vitest'
import type { Pipeline } from '../../src/core/pipeline.ts'
import { ActiveRuns } from '../../src/engine/active-runs.ts'
import type { DriverDeps } from '../../src/engine/engine-deps.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { Timeline } from '../../src/runs/timeline.ts'
import type { Journal } from '../../src/state/journal.ts'
import { memoryJournal } from '../support/memory-journal.ts'
import { expression, pipeline, readTestPipeline, step, testStepTypes } from '../support/pipelines.ts'

/** The run `r` of a document. It has just started. */
async function activeRun(
  document: Pipeline,
  { store = memoryJournal(new Map()), ...deps }: Pick<DriverDeps, 'runStep' | 'cancelChildren'> & { store?: Journal },
) {
  const runs = new ActiveRuns({
    ...{ store, clock: systemClock, timeline: new Timeline(systemClock), random: () => 0.5 },
    ...{ stepTypes: testStepTypes, readPipeline: readTestPipeline, env: {}, ...deps },
  })
  const { file, digest, text } = document
  const record = {
    type: 'run.submitted',
    pipeline: 'test',
    file,
    folder: '/',
    digest,
    text,
    inputs: {},
    trigger: {},
  } as const
  await store.submit({ runId: 'r', at: 0, record })
  runs.activate('r', store.records('r'), document)
  return { ...runs.live.get('r')!, records: () => store.records('r').map((one) => one.record.type) }
}

test.each([
  ['a', ['children of r']],
  ['tidy', []],
])('a cancel while %s is under way ends the runs that steps started, but not those of finally', async (under, told) => {
  const ended: string[] = []
  const begun = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const { run, end } = await activeRun(pipeline([step('a')], { finally: [step('tidy')] }), {
    async runStep(_name, { stepId }) {
      if (stepId !== under) return {}
      begun.resolve()
      await gate.promise
      return {}
    },
    cancelChildren: async (runId) => void ended.push(`children of ${runId}`),
  })
  await begun.promise
  await run.receive({ kind: 'cancel' })
  gate.resolve()
  await end
  expect(ended).toEqual(told)
})

test('a run begins no step while it cannot be read what runs before it left: no guard is judged without them', async () => {
  const lastSuccess = () => {
    throw new Error('away')
  }
  const store = { ...memoryJournal(new Map()), lastSuccess }
  const { end, records } = await activeRun(pipeline([step('a')], { readsLast: true }), {
    store,
    runStep: async () => ({}),
  })
  await expect(end).rejects.toThrow('away')
  expect(records()).toEqual(['run.submitted'])
})

test('a step that waits for another one’s claim records whose it is, each time this changes', async () => {
  const by = (runId: string) => ({ runId, step: 'match' })
  const reports = [
    { thing: 'match 7', by: by('one') },
    { thing: 'match 7', by: by('one') },
    { thing: 'match 7', by: by('other') },
    { thing: 'match 8', by: by('other') },
    { thing: 'match 7', by: undefined },
    { thing: 'match 8', by: undefined },
    { thing: 'match 8', by: undefined },
  ]
  const store = memoryJournal(new Map())
  const { end } = await activeRun(pipeline([step('a')]), {
    store,
    async runStep(_name, { report }) {
      for (const { thing, by } of reports) report({ kind: 'claim', thing, by })
      return {}
    },
  })
  await end
  const told = store.records('r').flatMap(({ record }) => {
    if (record.type === 'step.blocked') return [`${record.thing} of ${record.by.runId}`]
    return record.type === 'step.unblocked' ? ['free'] : []
  })
  expect(told).toEqual(['match 7 of one', 'match 7 of other', 'match 8 of other', 'free'])
})

test('a guard that holds nothing records what it measured, and not the outputs once more', async () => {
  const guard = { of: expression('outputs.people'), learn: false, onBreach: 'approve' } as const
  const store = memoryJournal(new Map())
  const { end } = await activeRun(pipeline([step('a', { guard })]), { store, runStep: async () => ({ people: 7 }) })
  await end
  const measured = store.records('r').find(({ record }) => record.type === 'guard.measured')
  expect(measured?.record).toMatchObject({ value: 7, outputs: undefined })
})
