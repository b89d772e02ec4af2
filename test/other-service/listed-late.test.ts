import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { useTurnClock } from '../support/turn-clock.ts'
import { openBench } from './nights.ts'
import { PLAIN_WAYS } from './ways.ts'
import { documentOf, existing, type Step, segmentDocument } from './whose.ts'

useTurnClock()

const MINUTE = 60_000

/** A service whose lists show a new thing a minute after its job has ended, and a segment with a match. */
async function setUp() {
  const listedAfterMs = { segments: MINUTE, matches: MINUTE, activations: MINUTE }
  const bench = await openBench({ listedAfterMs })
  const segmentId = existing(bench).segment('a')
  const matchJobId = existing(bench).match(segmentId, 'group 9001')
  const run = (uses: Step['uses'], pipeline: string, waits = true) =>
    bench.run(documentOf({ uses, segmentId, counterpart: 'partner 2001', matchJobId, pipeline, waits }))
  return { bench, run }
}

const KINDS = ['matches', 'activations'] as const

test.each(
  KINDS.flatMap((kind) =>
    (['create', 'ensure'] as const).flatMap((does) => [true, false].map((waits) => [kind, does, waits] as const)),
  ),
)('what %s.%s made, waiting: %s, another pipeline ensures before any list shows it', async (kind, does, waits) => {
  const { bench, run } = await setUp()
  await using _ = bench
  const before = bench.counts()[kind]
  expect((await run(`${kind}.${does}`, 'p', waits)).state).toBe('succeeded')
  expect((await run(`${kind}.ensure`, 'q')).state).toBe('succeeded')
  expect(bench.counts()[kind]).toBe(before + 1)
})

test.each(KINDS)('of %s that may have been made, and that nothing shows, a person is asked', async (kind) => {
  const { bench, run } = await setUp()
  await using _ = bench
  const before = bench.counts()[kind]
  bench.service.lose({ operation: `${kind}.create`, how: 'resetAfter' })
  const first = await run(`${kind}.ensure`, 'p')
  expect(first.state).toBe('outcome-unknown')
  await bench.audience(['runs', 'cancel', first.runId])
  const second = await run(`${kind}.ensure`, 'q')
  expect([second.code, second.message]).toEqual([
    1,
    expect.stringContaining(`run ${first.runId} asked for one, and nobody knows whether it was made`),
  ])
  expect(bench.counts()[kind]).toBe(before + 1)
  expect((await bench.resume(second.runId, ['--step', 'it', '--again'])).state).toBe('succeeded')
  expect(bench.counts()[kind]).toBe(before + 2)
  expect((await run(`${kind}.ensure`, 'r')).state).toBe('succeeded')
  expect(bench.counts()[kind]).toBe(before + 2)
})

describe('a segment that', () => {
  test('a pipeline made, another one ensures before any list shows it', async () => {
    const { bench } = await setUp()
    await using _ = bench
    expect((await bench.run(segmentDocument('segments.create'))).message).toBe('')
    expect((await bench.run(segmentDocument('segments.ensure', { pipeline: 'q' }))).message).toBe('')
    expect(bench.counts().segments).toBe(2)
  })

  test.each([
    ['that keeps identifiers unique', PLAIN_WAYS.duplicate],
    ['that does not', 'taken' as const],
  ])('a pipeline is still making, another one waits for at a service %s', async (_, duplicate) => {
    await using bench = await openBench({ jobMs: MINUTE, duplicate })
    expect((await bench.run(segmentDocument('segments.create', { rest: 'await: false' }))).message).toBe('')
    writeFileSync(join(bench.folder, 'q.yaml'), segmentDocument('segments.ensure', { pipeline: 'q' }))
    const args = ['plan', join(bench.folder, 'q.yaml'), '-i', `file=${join(bench.folder, 'people.csv')}`, '--json']
    expect((await bench.audience(args)).text).toMatch(/"action":"wait","why":"job \d+ of another step is making it"/)
    expect((await bench.run(segmentDocument('segments.ensure', { pipeline: 'q' }))).message).toBe('')
    expect(bench.counts().segments).toBe(1)
  })

  test('may be in the making after a lost answer, another pipeline finds when it shows', async () => {
    await using bench = await openBench({ jobMs: 2 * MINUTE })
    bench.service.lose({ operation: 'segments.create', how: 'resetAfter' })
    const first = await bench.run(segmentDocument('segments.create', { rest: 'await: { timeout: 40s }' }))
    expect(first.state).toBe('job-timeout')
    expect((await bench.run(segmentDocument('segments.ensure', { pipeline: 'q' }))).message).toBe('')
    expect(bench.counts().segments).toBe(1)
  })
})
