import { expect, test } from 'vitest'
import type { ScheduleTrigger } from '../../src/core/trigger.ts'
import { runGroupsOf, scheduleGroups } from '../../src/runs/run-groups.ts'
import { pipeline, template } from '../support/pipelines.ts'

const at = { file: 'test.yaml', line: 1, column: 1 }
const inGroup = (group: string) =>
  pipeline([], {
    inputs: { partner: { type: 'integer', at } },
    concurrency: { group: template(group), limit: 2, onConflict: 'skip' },
  })

test.each([
  ['nightly', 'nightly'],
  ['${{ "partner-" + string(inputs.partner) }}', 'partner-9001'],
  ['${{ default(trigger.id, "by hand") }}', 'drop'],
])('a run of the group %s is of the group %s', (group, name) => {
  expect(runGroupsOf(inGroup(group), { partner: 9001 }, { kind: 'watch', id: 'drop' })).toEqual([
    { name, limit: 2, onConflict: 'skip' },
  ])
})

test.each(['${{ "" }}', '${{ inputs.partner }}'])('%s gives no name', (group) => {
  expect(() => runGroupsOf(inGroup(group), { partner: 9001 }, {})).toThrow(
    expect.objectContaining({ code: 'no-group' }),
  )
})

test('a document without concurrency has no group', () => {
  expect(runGroupsOf(pipeline([]), {}, {})).toEqual([])
})

test.each<[ScheduleTrigger['overlap'], readonly object[]]>([
  ['allow', []],
  ['skip', [{ name: 'schedule:p/nightly', limit: 1, onConflict: 'skip', because: 'overlap' }]],
  ['queue', [{ name: 'schedule:p/nightly', limit: 1, onConflict: 'queue', because: 'overlap' }]],
  ['cancelRunning', [{ name: 'schedule:p/nightly', limit: 1, onConflict: 'cancelRunning', because: 'overlap' }]],
])('overlap: %s', (overlap, groups) => {
  expect(scheduleGroups('p', { id: 'nightly', overlap } as ScheduleTrigger)).toEqual(groups)
})
