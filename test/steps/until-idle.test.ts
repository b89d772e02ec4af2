import { expect, test } from 'vitest'
import { type IdleLook, untilIdle } from '../../src/steps/until-idle.ts'
import { fakeClock } from '../adapter/fake-clock.ts'

/** Waits for work that is idle after this time, but at most for the given limit. */
async function waited(idleAfterMs: number, maxWaitMs: number) {
  const clock = fakeClock()
  const look = async (): Promise<IdleLook<string>> =>
    clock.steady() < idleAfterMs ? { state: 'busy', what: 'segment 7' } : { state: 'idle', value: 'free' }
  const end = await untilIdle(look, maxWaitMs, { clock, signal: new AbortController().signal }).catch(
    (error: unknown) => error,
  )
  return { end, sleeps: clock.sleeps }
}

test('what is idle is not waited for', async () => {
  expect(await waited(0, 0)).toEqual({ end: 'free', sleeps: [] })
})

test('what is busy is looked at often at first, and twice a minute in the end', async () => {
  const { end, sleeps } = await waited(3_600_000, 7_200_000)
  expect([end, sleeps[0], sleeps.at(-1)]).toEqual(['free', 500, 30_000])
})

test('it is given up when the time is over, with a last look then', async () => {
  const message = 'an earlier job on segment 7 has not ended'
  const { end, sleeps } = await waited(1001, 1000)
  expect(end).toMatchObject({ code: 'job-timeout', kind: 'failed', message })
  expect(sleeps).toEqual([500, 500])
  expect((await waited(1000, 1000)).end).toBe('free')
})

test('a stop ends the wait', async () => {
  const stop = new AbortController()
  const look = async (): Promise<IdleLook<string>> => {
    stop.abort(new Error('stopped'))
    return { state: 'busy', what: 'segment 7' }
  }
  await expect(untilIdle(look, 1000, { clock: fakeClock(), signal: stop.signal })).rejects.toThrow('stopped')
})
