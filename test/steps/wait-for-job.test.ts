import { expect, test } from 'vitest'
import type { WaitForJobOptions } from '../../src/adapter/api-client.ts'
import { jobOutputs, maxWaitOf, waitForJob } from '../../src/steps/await-job.ts'

const RULE = {
  ...{ timeoutMs: 1000, approvalTimeoutMs: 2000, poll: { initialMs: 1, maxMs: 2 } },
  accept: ['PARTIAL_SUCCESS', 'SUCCESS', 'NO_STATUS'],
}

/** The calls to the waiting client, and the events for these statuses. */
async function waited(own: object) {
  const reported: object[] = []
  const asked: WaitForJobOptions[] = []
  const wait = async (jobId: string, options: WaitForJobOptions) => {
    asked.push(options)
    for (const status of ['RUNNING', 'PENDING_APPROVAL'] as const) options.onStatus?.({ id: jobId, status }, 7)
    return { id: jobId, status: 'SUCCESS' as const }
  }
  const { signal } = new AbortController()
  const names: string[] = []
  const context = {
    wait: (name: string, begin: (wait: object) => unknown) => {
      names.push(name)
      return begin({ signal, report: (told: object) => reported.push(told) })
    },
  }
  const services = { api: { waitForJob: wait } }
  await waitForJob('5', { awaitRule: RULE, context, services, ...own } as never)
  const [{ onStatus: _, signal: given, ...options } = {} as WaitForJobOptions] = asked
  expect([names, given]).toEqual([['job 5'], signal])
  return { options, reported }
}

const ASKED = { ...RULE, accept: ['SUCCESS', 'PARTIAL_SUCCESS'] }
const told = (status: string, counterpart?: string) => ({ kind: 'job', jobId: '5', status, waitedMs: 7, counterpart })

test('the client waits as the step says, for what the operation makes', async () => {
  const { options, reported } = await waited({ operation: 'matches.create', counterpart: 'partner 5' })
  const { accept, ...rest } = options
  expect({ ...rest, accept: [...(accept ?? [])].sort() }).toEqual({
    ...{ ...ASKED, accept: [...ASKED.accept].sort() },
    ...{ operation: 'matches.create', resource: 'matchId' },
  })
  // Only an approval asks somebody.
  expect(reported).toEqual([told('RUNNING'), told('PENDING_APPROVAL', 'partner 5')])
})

test('a job of an unknown operation may make anything, and nobody knows who is asked', async () => {
  const { options, reported } = await waited({})
  expect([options.operation, options.resource]).toEqual([undefined, undefined])
  expect(reported).toEqual([told('RUNNING'), told('PENDING_APPROVAL')])
})

test('a step that waits for no job lets work at the service take a quarter of an hour', () => {
  expect(maxWaitOf({ await: false })).toBe(900_000)
  expect(maxWaitOf({ await: RULE })).toBe(1000)
})

test('the outputs name the job, and what it made as far as it says', () => {
  expect(jobOutputs({ id: '5', status: 'SUCCESS', matchId: '7' })).toEqual({
    jobId: '5',
    jobStatus: 'SUCCESS',
    matchId: '7',
  })
  expect(Object.keys(jobOutputs({ matchId: '7' }))).toEqual(['matchId'])
})
