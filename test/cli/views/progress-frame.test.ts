import { describe, expect, test } from 'vitest'
import { createProgress } from '../../../src/cli/views/progress.ts'
import { frameOf, lastFrameOf } from '../../../src/cli/views/progress-frame.ts'
import { widthOf } from '../../../src/cli/views/text-width.ts'
import type { RunEvent } from '../../../src/core/run-event.ts'

const START = Date.UTC(2026, 0, 1)
const plain = (_format: unknown, text: string) => text

/** The frame at `now` ms after the start, after these events with their times in ms. */
function frame(now: number, events: readonly [number, object][], size = { columns: 80, rows: 24 }): string[] {
  return frameOf(progressOf(events), { now: START + now, ...size, style: plain })
}

function progressOf(events: readonly [number, object][], steps: readonly string[] = ['upload', 'match']) {
  const progress = createProgress()
  const started = { event: 'run.started', pipeline: 'p', file: 'f', digest: '', steps }
  for (const [at, event] of [[0, started] as const, ...events]) {
    progress.event({ at: new Date(START + at).toISOString(), runId: 'r', ...event } as RunEvent)
  }
  return progress
}

const started = { event: 'step.started', step: 'upload', uses: 'files.upload', attempt: 1 }

test('every step has its line from the start', () => {
  expect(frame(0, [])).toEqual(['· upload  pending', '· match   pending'])
})

test('an upload has a bar in bytes', () => {
  const [line] = frame(1500, [
    [0, started],
    [1000, { event: 'step.progress', step: 'upload', bytesSent: 500_000, bytesTotal: 2_000_000 }],
  ])
  expect(line).toBe('⠴ upload  files.upload  ██████░░░░░░░░░░░░░░░░░░ 500.0 kB of 2.0 MB  1.5 s')
})

test('a wait has the job’s status and the seconds, also between two polls', () => {
  const [line] = frame(4500, [
    [0, started],
    [2000, { event: 'job.status', step: 'upload', jobId: '7', status: 'RUNNING', waitedMs: 1000 }],
  ])
  expect(line).toContain('job RUNNING, waited 3.5 s')
  const asks = { event: 'job.status', step: 'upload', jobId: '7', status: 'PENDING_APPROVAL', waitedMs: 1000 }
  const [asking] = frame(4500, [
    [0, started],
    [2000, { ...asks, counterpart: 'partner 2005' }],
  ])
  expect(asking).toContain('waits for partner 2005, waited 3.5 s')
})

test('the end has the figures and the time', () => {
  const outputs = { name: 'a.csv', rows: 5201, bytes: 165_902, sha256: '' }
  const [line] = frame(9000, [
    [0, started],
    [2000, { event: 'step.finished', step: 'upload', status: 'succeeded', outputs, durationMs: 2000 }],
  ])
  expect(line).toBe('✓ upload  5,201 rows, 165.9 kB sent as a.csv  2.0 s')
})

test('what an earlier run did says which run', () => {
  const kept = { event: 'step.finished', step: 'upload', status: 'succeeded', keptFrom: 'r0', durationMs: 0 }
  expect(frame(9000, [[0, { ...kept, outputs: { ActivationId: '7', Status: 'DELIVERED' } }]])[0]).toBe(
    '✓ upload  activation 7: DELIVERED  kept from run r0',
  )
})

const items = (count: number, finished: readonly ('succeeded' | 'failed')[]): [number, object][] =>
  Array.from({ length: count }, (_, index) => ({ step: 'match', index, label: `seg${index}`, items: 20 })).flatMap(
    (ref, index) => [
      [0, { ...started, ...ref }] as [number, object],
      ...(finished[index]
        ? [[0, { event: 'step.finished', ...ref, status: finished[index], durationMs: 9 }] as [number, object]]
        : []),
    ],
  )

test('a forEach runs while its items do; its line counts them, and only those under way have lines', () => {
  expect(frame(0, items(4, ['succeeded', 'failed']))).toEqual([
    '· upload  pending',
    '⠋ match   2 of 20 items done, 1 failed, 2 running  0.0 s',
    '  ⠋ seg2  files.upload  0.0 s',
    '  ⠋ seg3  files.upload  0.0 s',
  ])
})

test('the end of a forEach names the items that failed', () => {
  const all = items(
    20,
    Array.from({ length: 20 }, (_, index) => (index % 13 === 7 ? 'failed' : 'succeeded')),
  )
  const end = { event: 'step.finished', step: 'match', status: 'failed', durationMs: 9 }
  expect(frame(0, [...all, [0, end]])[1]).toBe('✗ match   19 of 20 items succeeded; failed: seg7  0.0 s')
})

describe('on a small terminal', () => {
  const steps = ['upload', 'segment', 'match', 'check', 'activate', 'share', 'tell', 'clean', 'report']
  const done = (step: string): [number, object] => [
    0,
    { event: 'step.finished', step, status: 'succeeded', durationMs: 1 },
  ]
  const error = { code: 'x', kind: 'failed', message: 'may this go out to all of the partners of the group?' }

  test.each([3, 4, 5, 8, 9])('a frame of %d rows and 40 columns has what is under way', (rows) => {
    const progress = progressOf([done('upload'), done('segment'), ...items(18, [])], steps)
    const lines = frameOf(progress, { now: START, columns: 39, rows, style: plain })
    expect(lines.length).toBeLessThanOrEqual(rows)
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(39)
    expect(lines.join('\n')).toContain('0 of 20 items done')
  })

  test('steps that have ended and steps to come become numbers', () => {
    const progress = progressOf([done('upload'), done('segment'), [0, { ...started, step: 'match' }]], steps)
    expect(frameOf(progress, { now: START, columns: 39, rows: 8, style: plain })).toEqual([
      '✓ 2 steps done',
      '⠋ match     files.upload  0.0 s',
      '· 6 steps to come',
    ])
  })

  test('the last frame has every step, in lines that are broken between words', () => {
    const waits = { event: 'step.waiting', step: 'match', reason: 'approval', error }
    const lines = lastFrameOf(progressOf([done('upload'), [0, { ...started, step: 'match' }], [0, waits]], steps), {
      now: START,
      columns: 39,
      style: plain,
    })
    expect(lines.filter((line) => /^\S/.test(line))).toHaveLength(steps.length)
    expect(lines).toContain('    may this go out to all of the')
    expect(lines).toContain('      partners of the group?')
  })
})

test('a step that waits for a person says for what', () => {
  const error = { code: 'x', kind: 'failed', message: 'may I?' }
  const [line] = frame(0, [
    [0, started],
    [0, { event: 'step.waiting', step: 'upload', reason: 'approval', error }],
  ])
  expect(line).toContain('? upload')
  expect(line).toContain('waits for an approval')
})
