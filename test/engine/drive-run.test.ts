import { expect, test } from 'vitest'
import { ActiveRuns } from '../../src/engine/active-runs.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { Timeline } from '../../src/runs/timeline.ts'
import { memoryJournal } from '../support/memory-journal.ts'
import { pipeline, readTestPipeline, step, testStepTypes } from '../support/pipelines.ts'

test.each([
  ['a', ['children of r']],
  ['tidy', []],
])('a cancel while %s is under way ends the runs that steps started, but not those of finally', async (under, told) => {
  const ended: string[] = []
  const begun = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const journal = memoryJournal(new Map())
  const runs = new ActiveRuns({
    ...{ store: journal, clock: systemClock, timeline: new Timeline(systemClock), random: () => 0.5 },
    ...{ stepTypes: testStepTypes, readPipeline: readTestPipeline, env: {} },
    async runStep(_name, { stepId }) {
      if (stepId !== under) return {}
      begun.resolve()
      await gate.promise
      return {}
    },
    cancelChildren: async (runId) => void ended.push(`children of ${runId}`),
  })
  const document = pipeline([step('a')], { finally: [step('tidy')] })
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
  await journal.submit({ runId: 'r', at: 0, record })
  runs.activate('r', journal.records('r'), document)
  const live = runs.live.get('r')
  await begun.promise
  await live?.run.receive({ kind: 'cancel' })
  gate.resolve()
  await live?.end
  expect(ended).toEqual(told)
})
