import { expect, test } from 'vitest'
import type { Occurrence } from '../../../src/core/occurrence.ts'
import type { FinalStatus } from '../../../src/core/run.ts'
import { fileOutcomeOf } from '../../../src/triggers/watch/file-outcome.ts'

const ERROR = { code: 'x', kind: 'failed', message: 'the service said no', step: 'upload' } as const

test.each<[Occurrence['state'], string | undefined, FinalStatus | undefined, string, string, RegExp | undefined]>([
  ['ran', undefined, 'succeeded', 'done', 'succeeded', undefined],
  ['ran', undefined, 'failed', 'failed', 'failed', /^its run r1 failed at the step upload: the service said no$/],
  ['ran', undefined, 'cancelled', 'failed', 'cancelled', /^its run r1 was cancelled/],
  ['ran', undefined, undefined, 'failed', 'unknown', /^its run r1 is no longer in the history$/],
  ['skipped', 'duplicate', 'succeeded', 'done', 'duplicate', /the same content; the run of that file is r1$/],
  ['skipped', 'duplicate', 'failed', 'failed', 'duplicate', /the same content, and that file's run r1 failed$/],
  [
    'skipped',
    'duplicate',
    'cancelled',
    'failed',
    'duplicate',
    /the same content, and that file's run r1 was cancelled$/,
  ],
  ['skipped', 'condition', undefined, 'done', 'skipped', /the condition \(if\) of the trigger does not hold$/],
  ['skipped', 'overlap', undefined, 'failed', 'skipped', /^it got no run: overlap$/],
  ['failed', 'it is empty', undefined, 'failed', 'failed', /^it got no run: it is empty$/],
])('a file that %s (%s, %s) goes to %s', (state, reason, status, folder, outcome, happened) => {
  const occurrence: Occurrence = { pipeline: 'p', trigger: 't', key: 'k', at: 0, state, reason, runId: 'r1' }
  const found = fileOutcomeOf(occurrence, status, ERROR)
  expect(found).toMatchObject({ folder, outcome })
  if (happened) expect(found.why?.happened).toMatch(happened)
  else expect(found.why).toBeUndefined()
})
