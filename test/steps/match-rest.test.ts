import { expect, test } from 'vitest'
import { ApiError } from '../../src/adapter/api-error.ts'
import { JOB_STATUSES, MATCH_STATUSES, TERMINAL_JOB_STATUSES } from '../../src/contract/enumerations.ts'
import type { Match } from '../../src/contract/matches.ts'
import { hasFailed, isAtRest, isTerminal } from '../../src/steps/match-rest.ts'
import type { LookupDeps } from '../../src/steps/writes/reconciler.ts'

const READ = { operation: 'jobs.get', method: 'GET', path: '/api/jobs/9' }

/** The result for a match whose job has this status. Without a status, the service no longer knows the job. */
async function knownOf(match: Partial<Match>, job: string | undefined) {
  const asked: string[] = []
  const get = async ({ jobId }: { jobId: string }) => {
    asked.push(jobId)
    if (job === undefined) throw new ApiError(READ, { code: 'not-found', outcome: 'rejected', status: 404 })
    return { id: jobId, status: job }
  }
  const deps = { api: { jobs: { get } }, signal: new AbortController().signal } as unknown as LookupDeps
  const whole = { matchId: '5', ...match } as Match
  return { rests: await isAtRest(whole, deps), failed: await hasFailed(whole, deps), asked: [...new Set(asked)] }
}

const FAILED_JOBS: readonly string[] = ['FAILED', 'CANCELLED', 'REJECTED']

test.each(MATCH_STATUSES)('a match that is %s, whatever its job is', async (status) => {
  const isEnded = ['FINISHED', 'FAILED', 'REJECTED'].includes(status)
  expect(isTerminal({ status } as Match)).toBe(isEnded)
  for (const job of [...JOB_STATUSES, undefined]) {
    const known = await knownOf({ status, matchJobId: '9' }, job)
    // The job from before an update has ended, and says nothing about the update.
    if (isEnded || status.startsWith('UPDATE_'))
      expect(known).toEqual({ rests: isEnded, failed: isEnded && status !== 'FINISHED', asked: [] })
    else
      expect(known).toEqual({
        rests: TERMINAL_JOB_STATUSES.some((ended) => ended === job),
        failed: FAILED_JOBS.includes(String(job)),
        asked: ['9'],
      })
  }
})

test.each([undefined, null, ''])(
  'the job of a match that names none (%j) has the number of the match',
  async (matchJobId) => {
    const { asked } = await knownOf({ status: 'DELIVERING', matchJobId } as Partial<Match>, 'RUNNING')
    expect(asked).toEqual(['5'])
  },
)
