import { expect, test } from 'vitest'
import { createProgress, frameOf } from '../../../src/cli/views/progress-frame.ts'
import type { RunEvent } from '../../../src/core/run-event.ts'

const START = Date.UTC(2026, 0, 1)
const plain = (_format: unknown, text: string) => text

/** The frame `now` ms after the start, after events that are given with their time in ms. */
function frame(now: number, events: readonly [number, object][]): string[] {
  const progress = createProgress()
  const started = { event: 'run.started', pipeline: 'p', file: 'f', digest: '', steps: ['upload', 'match'] }
  for (const [at, event] of [[0, started] as const, ...events]) {
    progress.event({ at: new Date(START + at).toISOString(), runId: 'r', ...event } as RunEvent)
  }
  return frameOf(progress, { now: START + now, columns: 80, style: plain })
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

test('a forEach has a line for each of its items', () => {
  const lines = frame(0, [
    [0, { ...started, step: 'match', index: 0 }],
    [0, { ...started, step: 'match', index: 1 }],
  ])
  expect(lines.map((line) => line.split('  ')[0])).toEqual(['· upload', '· match', '⠋ match[0]', '⠋ match[1]'])
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
