import { expect, test } from 'vitest'
import { AudienceError } from '../../src/core/errors.ts'
import type { RetryReason } from '../../src/core/pipeline.ts'
import { nextAttempt } from '../../src/runs/next-attempt.ts'

const clock = { now: () => 1000, sleep: async () => undefined }
const policy = (on: readonly RetryReason[]) => ({ maxAttempts: 4, delayMs: 100, backoff: 2, maxDelayMs: 300, on })
const ALL: readonly RetryReason[] = ['jobFailed', 'rejected', 'unavailable', 'timeout', 'expectation']

function failure(code: string, request?: { outcome: string; operation?: string }): AudienceError {
  return Object.assign(
    new AudienceError({ code, kind: 'failed', message: code }),
    request && { request: { operation: 'matches.create', ...request } },
  )
}

const reading = (code: string, outcome: string) => failure(code, { outcome, operation: 'matches.get' })

test.each([
  [1, 0, 1000],
  [1, 1, 1100],
  [2, 1, 1200],
  [3, 1, 1300],
  [3, 0.5, 1150],
])('after attempt %d with %d of the jitter the next is at %d', (attempt, jitter, at) => {
  const next = nextAttempt(
    policy(ALL),
    { attempt, error: failure('job-failed'), announced: ['matches.create'] },
    { clock, random: () => jitter },
  )
  expect(next).toEqual({ retryAt: at })
})

test('there is none without a policy, after the last attempt, or for a reason that is not named', () => {
  const deps = { clock, random: () => 0 }
  const failed = { attempt: 1, error: failure('job-failed'), announced: [] }
  expect(nextAttempt(undefined, failed, deps)).toBeUndefined()
  expect(nextAttempt(policy(ALL), { ...failed, attempt: 4 }, deps)).toBeUndefined()
  expect(nextAttempt(policy(['timeout']), failed, deps)).toBeUndefined()
  expect(nextAttempt(policy(ALL), { ...failed, error: new Error('a fault of ours') }, deps)).toBeUndefined()
})

test.each<[string, AudienceError, boolean, 'fresh' | 'keeps' | undefined]>([
  ['a job that failed made nothing', failure('job-failed'), true, 'fresh'],
  ['a rejected write did not happen', failure('rejected', { outcome: 'rejected' }), true, 'fresh'],
  ['nor did one that was not sent', failure('unreachable', { outcome: 'notSent' }), true, 'fresh'],
  ['a job that is late goes on, so the next attempt waits for the same', failure('job-timeout'), true, 'keeps'],
  ['a write may be under way when the step is out of time', failure('timeout'), true, 'keeps'],
  ['what was made stays made when it does not meet an expectation', failure('expectation-failed'), true, 'keeps'],
  [
    'a write whose outcome is unknown is for reconciling',
    failure('bad-answer', { outcome: 'unknown' }),
    true,
    undefined,
  ],
  ['what its job made does not show yet (decision 141)', reading('not-found', 'rejected'), true, 'keeps'],
  ['a read after it was refused', reading('rejected', 'rejected'), true, 'keeps'],
  ['a read after it could not be sent', reading('unreachable', 'notSent'), true, 'keeps'],
  ['a read after it got no answer', reading('service-error', 'unknown'), true, 'keeps'],
  ['its job is not known (yet)', failure('job-unknown'), true, 'keeps'],
  ['its job does not say what it made (decision 139)', failure('job-without-id'), true, 'keeps'],
  ['a read whose answer was lost is read again', failure('bad-answer', { outcome: 'unknown' }), false, 'fresh'],
  ['a list that moved is read again (decision 152)', failure('list-not-still'), false, 'fresh'],
  ['after a write too, which is not sent again', failure('list-not-still'), true, 'keeps'],
  ['a read that does not meet an expectation is read again', failure('expectation-failed'), false, 'fresh'],
])('%s', (_name, error, announced, expected) => {
  const next = nextAttempt(
    policy(ALL),
    { attempt: 1, error, announced: announced ? ['matches.create'] : [] },
    { clock, random: () => 0 },
  )
  expect(next && (next.keepsEffects ? 'keeps' : 'fresh')).toBe(expected)
})

test('nothing that was not there to begin with is waited for', () => {
  const failed = { attempt: 1, error: reading('not-found', 'rejected'), announced: [] }
  expect(nextAttempt(policy(['unavailable']), failed, { clock, random: () => 0 })).toBeUndefined()
})
