import { expect, test } from 'vitest'
import { evaluateCheck } from '../../src/rehearsal/evaluate-check.ts'
import type { RunDescription } from '../../src/runs/describe-run.ts'
import { stepTypes } from '../../src/steps/index.ts'
import { nightly } from './fixtures.ts'

const at = { file: 'a.test.yaml', line: 7, column: 11 }

const run: RunDescription = {
  runId: 'r1',
  pipeline: 'nightly',
  file: 'nightly.yaml',
  digest: 'd',
  profile: 'local',
  status: 'succeeded',
  submittedAt: '2026-10-20T01:59:00.000Z',
  beganAt: '2026-10-20T02:00:00.000Z',
  finishedAt: '2026-10-20T02:30:00.000Z',
  inputs: { file: '/w/list.csv', minimum: 100, group: 9007199254740993n },
  trigger: { kind: 'manual' },
  steps: [
    step('upload', { name: 'list-1' }),
    step('each', [{ key: '0' }, { key: '1' }]),
    step('match', { matchCount: 3120 }),
  ],
  outputs: { matchCount: 3120, about: '100 of list-1' },
}
const queued: RunDescription = {
  ...run,
  status: 'queued',
  beganAt: undefined,
  finishedAt: undefined,
  outputs: undefined,
  steps: [],
}

function step(name: string, outputs: RunDescription['steps'][number]['outputs']): RunDescription['steps'][number] {
  const times = { startedAt: '2026-10-20T02:00:00.000Z', finishedAt: '2026-10-20T02:10:00.000Z' }
  return { step: name, status: 'succeeded', ...times, attempts: [], jobs: [], effects: [], decisions: [], outputs }
}

function holds(check: string, runs: readonly RunDescription[] = [run]): boolean {
  return evaluateCheck(`\${{ ${check} }}`, { pipeline: nightly(), stepTypes, runs }, at)
}

test.each([
  ['run.outputs.matchCount > 1000', true],
  ['run.outputs.matchCount / 1000 == 3', true],
  ['run.outputs.about == "100 of list-1"', true],
  ['run.inputs.group == 9007199254740993', true],
  ['run.finishedAt - run.startedAt == duration("30m")', true],
  ['run.startedAt == timestamp("2026-10-20T02:00:00Z")', true],
  ['now() == run.startedAt', true],
  ['steps.match.outputs.matchCount == 3120 && steps.match.status == "succeeded"', true],
  ['size(steps.each.outputs) == 2', true],
  ['has(steps.ask)', false],
  ['size(runs) == 1', true],
  ['failure()', false],
])('%s: %s', (check, is) => {
  expect(holds(check)).toBe(is)
})

test('the newest run is `run`, and a run that has not begun lacks what it will have', () => {
  expect(holds('run.status == "queued" && runs[0].status == "succeeded"', [run, queued])).toBe(true)
  expect(holds('has(run.outputs) || has(run.finishedAt)', [queued])).toBe(false)
})

test.each([
  ['run.outputs.matchCount > 1000', [queued], 'the field outputs is not there'],
  ['run.status == "failed"', [], 'run is not there'],
  ['steps.match.status == "failed"', [], 'steps is not there'],
])('%s has no answer without it', (check, runs, message) => {
  expect(() => holds(check, runs)).toThrow(
    expect.objectContaining({ code: 'expression-failed', message: expect.stringContaining(message), at }),
  )
})
