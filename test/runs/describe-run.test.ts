import { expect, test } from 'vitest'
import type { RunRecord } from '../../src/core/run.ts'
import { describeRun } from '../../src/runs/describe-run.ts'

const row = {
  runId: 'r',
  pipeline: 'p',
  profile: 'local',
  status: 'running',
  submittedAt: 0,
  triggerKind: 'manual',
  triggerLabel: '',
} as const
const submitted = {
  type: 'run.submitted',
  pipeline: 'p',
  file: 'p.yaml',
  folder: '/',
  text: '',
  digest: 'd',
} as const
const late = { code: 'approval-timeout', kind: 'failed', message: 'too late' } as const

test.each<[object, object]>([
  [{ status: 'cancelled' }, {}],
  [{ status: 'failed', error: late }, { error: late }],
])('a step that ended asks nobody: %j', (end, error) => {
  const asked = { code: 'asked', kind: 'failed', message: 'may it?' } as const
  const records = [
    { ...submitted, inputs: {}, trigger: {} },
    { type: 'step.started', step: 'a', attempt: 1 },
    { type: 'step.waiting', step: 'a', reason: 'approval', error: asked, approvers: ['ann'] },
    { type: 'step.finished', step: 'a', ...end },
  ].map((record, seq) => ({ seq, at: seq, record: record as RunRecord }))
  const [step] = describeRun(row, records).steps
  expect(step).toMatchObject({ status: (end as { status: string }).status, ...error })
  for (const key of ['waitsFor', 'approval', ...('error' in error ? [] : ['error'])])
    expect(step).not.toHaveProperty(key)
})

test('a run tells the commit that its document was of, where one is known', () => {
  const describeWith = (git: object) =>
    describeRun(row, [{ seq: 0, at: 0, record: { ...submitted, inputs: {}, trigger: {}, ...git } }])
  const git = { commit: 'c0ffee', dirty: true }
  expect(describeWith({ git })).toMatchObject({ digest: 'd', git })
  expect(describeWith({}).git).toBeUndefined()
})
