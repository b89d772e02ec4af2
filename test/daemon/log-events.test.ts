import { pino } from 'pino'
import { expect, test } from 'vitest'
import { readableLine } from '../../src/cli/views/log-line.ts'
import { writeTime } from '../../src/cli/views/write-time.ts'
import type { RunEvent } from '../../src/core/run-event.ts'
import { logEvents } from '../../src/daemon/log-events.ts'

const error = { code: 'x', kind: 'failed', message: 'the service refused it' } as const

/** The level and the text of the log line of an event. */
function logged(event: object): { level: number; msg: string } & Record<string, unknown> {
  const lines: string[] = []
  const log = pino({ level: 'debug', base: null, timestamp: false }, { write: (line: string) => lines.push(line) })
  logEvents(log)({ at: '2026-11-22T07:00:00.000Z', runId: 'r1', ...event } as RunEvent)
  return JSON.parse(lines[0] ?? '')
}

test.each([
  [{ event: 'run.started', pipeline: 'nightly' }, 30, 'run r1 of nightly has begun'],
  [
    { event: 'step.finished', step: 'match', status: 'succeeded', durationMs: 3200 },
    30,
    'run r1: step match succeeded after 3.2 s',
  ],
  [
    { event: 'step.finished', step: 'each', index: 3, label: 'seg3', status: 'failed', error, durationMs: 90_000 },
    50,
    'run r1: step each[3] (seg3) failed after 1 min 30 s: the service refused it',
  ],
  [{ event: 'step.finished', step: 'match', status: 'skipped', durationMs: 0 }, 30, 'run r1: step match was skipped'],
  [
    { event: 'step.retry', step: 'match', attempt: 1, retryAt: '2026-11-22T07:00:02.500Z', error },
    40,
    'run r1: step match failed on attempt 1 and will be retried in 2.5 s: the service refused it',
  ],
  [
    {
      ...{ event: 'step.looking', step: 'audience', operation: 'segments.create', upToMs: 15_000 },
      ...{ lookedFor: 'a segment', why: 'POST /api/segments failed: 500' },
    },
    40,
    'run r1: step audience looks for a segment, for up to 15.0 s: POST /api/segments failed: 500',
  ],
  [
    { event: 'step.waiting', step: 'ask', reason: 'approval', error: { ...error, message: 'may it?' } },
    40,
    'run r1: step ask waits for an approval: may it?',
  ],
  [{ event: 'step.decided', step: 'ask', decision: 'approved', by: 'ana' }, 30, 'run r1: step ask: approved by ana'],
  [{ event: 'run.finished', status: 'succeeded', outputs: {}, durationMs: 500 }, 30, 'run r1 succeeded after 0.5 s'],
  [
    { event: 'run.finished', status: 'succeeded', outputs: {}, durationMs: 500, failures: 2, failuresOf: 20 },
    40,
    'run r1 succeeded after 0.5 s, although 2 of 20 failed',
  ],
  [
    { event: 'run.finished', status: 'failed', outputs: {}, error, durationMs: 500 },
    50,
    'run r1 failed after 0.5 s: the service refused it',
  ],
])('%j is a sentence', (event, level, msg) => {
  const line = logged(event)
  expect(line).toMatchObject({ level, msg, runId: 'r1', event: event.event })
  expect(line).not.toHaveProperty('outputs')
})

test('on a terminal a line is its sentence, with the facts that the sentence does not have', () => {
  expect(readableLine({ level: 'info', msg: 'run r1 succeeded', event: 'run.finished', runId: 'r1' })).toEqual({
    level: 'info',
    msg: 'run r1 succeeded',
  })
  const line = {
    level: 'warn',
    time: 'T',
    msg: 'night/drop moved the file a.csv to failed',
    file: 'a.csv',
    trigger: 'drop',
    state: 'ran',
    runId: null,
    size: { bytes: 3 },
    sha256: 'a5'.repeat(32),
    key: `${'a5'.repeat(32)}#2`,
  }
  expect(readableLine(line)).toEqual({
    level: 'warn',
    time: 'T',
    msg: 'night/drop moved the file a.csv to failed (size {"bytes":3})',
  })
})

test.each(['2026-11-25T02:00Z', '2026-11-25T02:00:30.000Z'])(
  'on a terminal an instant is a time of the clock there: %s',
  (slot) => {
    const told = readableLine({ msg: 'slot missed', slot, file: `${slot}.csv` }).msg
    expect(told).toBe(`slot missed (slot ${writeTime(Date.parse(slot))}, file ${slot}.csv)`)
  },
)
