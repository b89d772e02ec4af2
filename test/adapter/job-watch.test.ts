import { expect, test } from 'vitest'
import type { JobTerms } from '../../src/adapter/api-client.ts'
import { DurationSketch } from '../../src/adapter/duration-sketch.ts'
import { type JobNews, JobWatch } from '../../src/adapter/job-watch.ts'
import { DEFAULT_POLLS } from '../../src/adapter/poll-delay.ts'

type Reading = readonly [atMs: number, status: string, segmentId?: string]

/** The verdict after each read of a job, whose wait begins at 0, and what was learned from it. */
function watch(
  readings: readonly Reading[],
  { known = [], terms = {} }: { known?: number[]; terms?: Partial<JobTerms> },
) {
  const learned: number[] = []
  const durations = new DurationSketch()
  for (const durationMs of known) durations.add(durationMs)
  durations.add = (durationMs) => learned.push(durationMs)
  const start = { startedAt: 0, schedule: DEFAULT_POLLS, durations }
  const jobWatch = new JobWatch('7', { timeoutMs: 100_000, ...terms }, start)
  const news: JobNews[] = readings.map(([atMs, status, segmentId]) =>
    jobWatch.read({ id: '7', status, ...(segmentId && { segmentId }) }, atMs),
  )
  return { news, learned }
}

test.each<[what: string, readings: Reading[], learned: number[], terms?: Partial<JobTerms>]>([
  [
    'a job that was seen at work and ended',
    [
      [0, 'PENDING'],
      [400, 'RUNNING'],
      [900, 'SUCCESS'],
    ],
    [900],
  ],
  [
    'one that failed',
    [
      [0, 'RUNNING'],
      [900, 'FAILED'],
    ],
    [900],
  ],
  ['one that had ended at the first look', [[0, 'SUCCESS']], []],
  [
    'one that waited for an approval',
    [
      [0, 'RUNNING'],
      [400, 'PENDING_APPROVAL'],
      [800, 'RUNNING'],
      [900, 'SUCCESS'],
    ],
    [],
  ],
  [
    'one that was rejected',
    [
      [0, 'PENDING_APPROVAL'],
      [900, 'REJECTED'],
    ],
    [],
  ],
  [
    'one that goes on',
    [
      [0, 'RUNNING'],
      [900, 'RUNNING'],
    ],
    [],
  ],
  [
    'one whose id came later',
    [
      [0, 'RUNNING'],
      [900, 'SUCCESS'],
      [1400, 'SUCCESS', 's1'],
    ],
    [900],
    { resource: 'segmentId' },
  ],
])('what is learned of %s', (_what, readings, learned, terms = {}) => {
  expect(watch(readings, { terms }).learned).toEqual(learned)
})

test('what earlier jobs took is of use after the first look alone, and not while an approval is waited for', () => {
  const known = [5000, 6000, 7000, 8000, 9000]
  const learnedOf = (readings: Reading[], given = known) =>
    watch(readings, { known: given }).news.map((news) => (news.state === 'again' ? news.learnedMs : news.state))
  expect(
    learnedOf([
      [0, 'PENDING'],
      [4500, 'RUNNING'],
      [5000, 'SUCCESS'],
    ]),
  ).toEqual([5000, undefined, 'success'])
  expect(
    learnedOf([
      [0, 'PENDING_APPROVAL'],
      [500, 'RUNNING'],
    ]),
  ).toEqual([undefined, undefined])
  expect(learnedOf([[0, 'PENDING']], [5000, 6000])).toEqual([undefined])
})

test.each<[what: string, statuses: string[], states: string[], terms?: Partial<JobTerms>]>([
  ['fails if two readings say so', ['RUNNING', 'FAILED', 'FAILED'], ['again', 'again', 'failure']],
  ['fails if the two give other reasons', ['FAILED', 'REJECTED'], ['again', 'failure']],
  ['goes on after one reading of a failure', ['FAILED', 'RUNNING', 'SUCCESS'], ['again', 'again', 'success']],
  [
    'does not fail after a success without an id',
    ['SUCCESS', 'FAILED', 'FAILED', 'FAILED'],
    ['again', 'again', 'again', 'success'],
    { resource: 'segmentId' },
  ],
])('a job %s', (_what, statuses, states, terms = {}) => {
  const { news } = watch(
    statuses.map((status, index) => [index * 500, status]),
    { terms },
  )
  expect(news.map(({ state }) => state)).toEqual(states)
  expect(news.at(-1)).not.toMatchObject({ job: { status: 'FAILED' } })
})
