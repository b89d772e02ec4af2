import { expect, test } from 'vitest'
import { describeRun } from '../../src/runs/describe-run.ts'

test('a run tells the commit that its document was of, where one is known', () => {
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
  const describeWith = (git: object) =>
    describeRun(row, [{ seq: 0, at: 0, record: { ...submitted, inputs: {}, trigger: {}, ...git } }])
  const git = { commit: 'c0ffee', dirty: true }
  expect(describeWith({ git })).toMatchObject({ digest: 'd', git })
  expect(describeWith({})).not.toHaveProperty('git')
})
