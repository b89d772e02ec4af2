import { expect, test } from 'vitest'
import type { RunRequest } from '../../src/core/engine.ts'
import { newRun } from '../../src/engine/new-run.ts'
import { pipeline, step } from '../support/pipelines.ts'

/** The record of a request. */
function recorded(own: Partial<RunRequest>) {
  const request = { runId: 'r', pipeline: pipeline([step('a')]), inputs: {}, trigger: {}, folder: '/', ...own }
  const { record } = newRun(request, { at: 1, profile: 'local', env: {} })
  if (record.type !== 'run.submitted') throw new Error(record.type)
  return record
}

const group = (name: string) => ({ name, limit: 1, onConflict: 'queue' }) as const

test.each([
  [undefined, undefined],
  [[], undefined],
  [['a'], ['a']],
  [
    ['a', 'b'],
    ['a', 'b'],
  ],
])('a run of the groups %j records their names: %j', (names, groups) => {
  expect(recorded({ groups: names?.map(group) }).groups).toEqual(groups)
})

test.each([
  ['nobody', [], undefined],
  ['who started it', ['ann'], undefined],
  ['somebody else', ['bob'], ['bob']],
  ['who started it and somebody else', ['ann', 'bob'], ['ann', 'bob']],
])('who caused a run is recorded, unless that is who started it alone: %s', (_, submitters, others) => {
  const run = recorded({ startedBy: { by: 'ann' }, submitters })
  expect([run.startedBy, run.submitters]).toEqual(['ann', others])
})
