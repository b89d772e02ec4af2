import { expect, test } from 'vitest'
import { ApiError } from '../../src/adapter/api-error.ts'
import { MadeOtherError } from '../../src/steps/made-other.ts'
import { readAfterJob } from '../../src/steps/read-after-job.ts'
import { fakeClock } from '../adapter/fake-clock.ts'

const READ = { operation: 'segments.get', method: 'GET', path: '/api/segments/7' }
const absent = new ApiError(READ, { code: 'not-found', outcome: 'rejected', status: 404 })
const away = new ApiError(READ, { code: 'service-error', outcome: 'rejected', status: 503 })

/** Reads a thing that appears after this time; until then, the read fails with this error. */
async function readWhenThere(thereAfterMs: number, before: Error) {
  const clock = fakeClock()
  const read = async () => {
    if (clock.steady() < thereAfterMs) throw before
    return 'there'
  }
  const { signal } = new AbortController()
  const end = await readAfterJob(read, { clock, signal }).catch((error: unknown) => error)
  return { end, afterMs: clock.steady(), sleeps: clock.sleeps }
}

test.each([
  ['is absent', absent],
  ['shows another', new MadeOtherError('segment 7', 'another')],
])('what a job made and %s is waited for, 30 s at most', async (_, before) => {
  expect((await readWhenThere(29_000, before)).end).toBe('there')
  expect((await readWhenThere(30_000, before)).end).toBe('there')
  const { end, afterMs, sleeps } = await readWhenThere(30_001, before)
  expect([end, afterMs, sleeps[0]]).toEqual([before, 30_000, 500])
  expect(sleeps.length).toBeLessThan(30)
})

test('a read that fails otherwise is told at once', async () => {
  expect(await readWhenThere(1, away)).toEqual({ end: away, afterMs: 0, sleeps: [] })
})
