import { expect, test } from 'vitest'
import type { Job } from '../../src/contract/job.ts'
import { planShares } from '../../src/steps/segment-shares.ts'
import { stillService } from './support/still-service.ts'

const NOTHING = { send: [], wait: [], still: [] }
const of = (own: object) => ({ ...NOTHING, ...own })
const job = (status: Job['status']): Job => ({ id: 'j', status })
const KEY = { profile: 'test', pipeline: '', step: 'shares of s' }

test.each<[string, object | undefined, readonly Job[], object, object]>([
  ['is new', undefined, [], {}, of({ send: [5] })],
  ['has it', { shareSegmentName: true }, [], {}, NOTHING],
  [
    'has it with its name, and should not',
    { shareSegmentName: true },
    [],
    { shareSegmentName: false },
    of({ send: [5] }),
  ],
  ['has it without its name', { shareSegmentName: false }, [], { shareSegmentName: false }, NOTHING],
  ['has it without its name, and should have that', { shareSegmentName: false }, [], {}, of({ send: [5] })],
  [
    'is getting it',
    { shareSegmentName: true, jobId: 'j' },
    [job('RUNNING')],
    {},
    of({ wait: [{ partnerId: 5, jobId: 'j' }] }),
  ],
  [
    'is getting it with its name, and should not',
    { shareSegmentName: true, jobId: 'j' },
    [job('RUNNING')],
    { shareSegmentName: false },
    of({ send: [5] }),
  ],
  ['got it', { shareSegmentName: true, jobId: 'j' }, [job('SUCCESS')], {}, NOTHING],
  ['refused it', { shareSegmentName: true, jobId: 'j' }, [job('REJECTED')], {}, of({ send: [5] })],
  ['perhaps got it, by a job that is gone', { shareSegmentName: true, jobId: 'j' }, [], {}, of({ send: [5] })],
  ['has it, and is not named any more', { shareSegmentName: true }, [], { shareWith: [] }, of({ still: [5] })],
  ['has it, and nobody is named', { shareSegmentName: true }, [], { shareWith: undefined }, of({ still: [5] })],
  ['is remembered in a way that nobody knows', 'yes' as never, [], {}, of({ send: [5] })],
])('a partner that %s', async (_, share, jobs, wanted, plan) => {
  const service = stillService({ jobs })
  if (share) await service.stepMemory.set(KEY, { 5: share as never })
  expect(await planShares('s', { shareWith: [5], ...wanted }, service)).toEqual(plan)
  expect(await planShares(undefined, { shareWith: [5] }, service)).toEqual(of({ send: [5] }))
})
