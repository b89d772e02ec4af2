import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { lineSink } from '../../../src/cli/views/line-sink.ts'
import { createProgress } from '../../../src/cli/views/progress.ts'
import { frameOf, lastFrameOf } from '../../../src/cli/views/progress-frame.ts'
import { renderRun } from '../../../src/cli/views/render-run.ts'
import type { RunRecord, StepRef } from '../../../src/core/run.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { describeRun } from '../../../src/runs/describe-run.ts'
import { createRecordTeller } from '../../../src/runs/record-teller.ts'
import { block, pipeline, step } from '../../support/pipelines.ts'
import { recordsOf } from '../../support/run-facts.ts'

/*
 * A run with a forEach over two steps and three items: x succeeds, y fails at its second step, and z waits for a person
 * at its second step. Every view uses the same names for the executions.
 */

const inner = (key: string, id: string): StepRef => ({ step: id, index: 'xyz'.indexOf(key), key, block: 'audience' })
const item = (key: string): StepRef => ({ step: 'audience', index: 'xyz'.indexOf(key), key })
const began = (ref: StepRef): RunRecord => ({ type: 'step.started', ...ref, attempt: 1 })
const ended = (ref: StepRef): RunRecord => ({ type: 'step.finished', ...ref, status: 'succeeded', outputs: {} })
const error = { code: 'x', kind: 'failed', message: 'broken' } as const

const document = pipeline([block('audience', [step('upload'), step('release', { needs: ['upload'] })])])
const begun = ['x', 'y', 'z'].flatMap((key) => [began(inner(key, 'upload')), ended(inner(key, 'upload'))])
const records: RunRecord[] = [
  { type: 'step.expanded', step: 'audience', items: ['x', 'y', 'z'], keys: ['x', 'y', 'z'] },
  ...begun,
  began(inner('x', 'release')),
  { type: 'job.status', ...inner('x', 'release'), jobId: '7', status: 'RUNNING', waitedMs: 1000 },
  ended(inner('x', 'release')),
  { type: 'step.finished', ...item('x'), status: 'succeeded' },
  began(inner('y', 'release')),
  { type: 'step.finished', ...inner('y', 'release'), status: 'failed', error },
  { type: 'step.finished', ...item('y'), status: 'failed', error: { ...error, step: 'audience[y].release' } },
  began(inner('z', 'release')),
  { type: 'step.waiting', ...inner('z', 'release'), reason: 'approval', error: { ...error, message: 'go?' } },
]
const end: RunRecord = {
  ...{ type: 'step.finished', step: 'audience', status: 'failed' },
  error: { ...error, step: 'audience[y].release' },
  outputs: [{}, {}, {}],
}
const stored = (own: readonly RunRecord[]) => recordsOf(document, own)
const events = (own: readonly RunRecord[]) =>
  createRecordTeller('r', stored(own), { readPipeline: () => document, stepTypes: new Map() }).tell(stored(own))

const plain = (_format: unknown, text: string) => text
const view = { now: 17_000, columns: 80, rows: 24, style: plain }

function progressOf(own: readonly RunRecord[]) {
  const progress = createProgress()
  for (const event of events(own)) progress.event(event)
  return progress
}

test('events say which item, step and forEach, and write the execution as people do', () => {
  expect(events(records).filter((event) => event.event === 'job.status')).toEqual([
    {
      ...{ event: 'job.status', at: new Date(9000).toISOString(), runId: 'r' },
      ...{ step: 'release', block: 'audience', index: 0, key: 'x', execution: 'audience[x].release', items: 3 },
      ...{ jobId: '7', status: 'RUNNING', waitedMs: 1000 },
    },
  ])
})

test('a terminal has a line for each item under way, with what is done for it', () => {
  expect(frameOf(progressOf(records.slice(0, 9)), view)).toEqual([
    '⠋ audience  0 of 3 items done, 3 running  15.0 s',
    '  ⠋ x       release: work  job RUNNING, waited 9.0 s',
    '  ⠋ y       upload: work  13.0 s',
    '  ⠋ z       upload: work  11.0 s',
  ])
  expect(frameOf(progressOf(records), view).slice(0, 3)).toEqual([
    '⠋ audience  2 of 3 items done, 1 failed, 1 waiting for a person  15.0 s',
    '  ? z       waits for an approval  11.0 s',
    '    go?',
  ])
  expect(lastFrameOf(progressOf([...records, end]), view)[0]).toBe(
    '✗ audience  1 of 3 items succeeded; failed: y  16.0 s',
  )
})

test('plain lines say the execution, and an error once', () => {
  const lines: string[] = []
  const out = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk).trimEnd())) })
  const sink = lineSink(out as NodeJS.WriteStream, systemClock)
  for (const event of events([...records, end])) sink.event(event)
  expect(lines.filter((line) => /\[[xy]\]|broken|^audience:/.test(line))).toEqual([
    'audience[x].upload: work',
    'audience[x].upload: succeeded, 1.0 s',
    'audience[y].upload: work',
    'audience[y].upload: succeeded, 1.0 s',
    'audience[x].release: work',
    'audience[x].release: job 7 RUNNING (1.0 s)',
    'audience[x].release: succeeded, 2.0 s',
    'audience[x]: succeeded, 9.0 s',
    'audience[y].release: work',
    'audience[y].release: failed, 1.0 s',
    '  broken',
    'audience[y]: failed, 10.0 s',
    'audience: failed, 1 of 3 items succeeded; failed: y, 16.0 s',
  ])
})

const row = {
  ...{ runId: 'r', pipeline: 'test', profile: 'local', status: 'waiting' as const, submittedAt: 0 },
  ...{ triggerKind: 'manual', triggerLabel: '' },
} as const

test('`runs show` names whoever retried a run beside its start, not as the one who kept what succeeded', () => {
  const retry = { trigger: { kind: 'manual' }, seededFrom: 'q', startedBy: 'alice', needsYou: [], blocked: [] }
  const lines = renderRun({ ...describeRun(row, stored(records)), ...retry }, 17_000, plain)
  expect(lines).toContain('started     1970-01-01 00:00:00 UTC, retry of q, by alice')
  expect(lines).toContain('seeded      what succeeded in q was not done again')
})

test('`runs show` has the steps of an item below the item', () => {
  const lines = renderRun({ ...describeRun(row, stored(records)), needsYou: [], blocked: [] }, 17_000, plain)
  const steps = lines.slice(lines.indexOf('') + 1).map((line) => line.slice(14))
  expect(steps).toEqual([
    'audience  running, 1 of 3 items succeeded; failed: y',
    '  audience[x]  succeeded, 9.0 s',
    '    audience[x].upload  succeeded, 1.0 s',
    '    audience[x].release  succeeded, 2.0 s',
    '      job 7 RUNNING',
    '  audience[y]  failed, 10.0 s',
    '    audience[y].upload  succeeded, 1.0 s',
    '    audience[y].release  failed, 1.0 s',
    'broken',
    '  audience[z]  running',
    '    audience[z].upload  succeeded, 1.0 s',
    '    audience[z].release  waiting',
    'go?',
  ])
})
