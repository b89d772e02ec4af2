import { expect, test } from 'vitest'
import { ApiError } from '../../../src/adapter/api-error.ts'
import { type LookLimits, pollForOutcome } from '../../../src/steps/writes/poll-for-outcome.ts'
import type { Finding } from '../../../src/steps/writes/reconciler.ts'
import { fakeClock } from '../../adapter/fake-clock.ts'

const WINDOW_MS = 15_000
const limits = { windowMs: WINDOW_MS, maxWaitMs: 3_600_000, isApplied: false }
const done: Finding = { state: 'done', answer: { activationId: '7' } }

const unreadable = new ApiError(
  { operation: 'activations.list', method: 'GET', path: '/api/activations/activations' },
  { code: 'service-error', outcome: 'unknown', status: 503 },
)

/** The result of polling a service that shows this, by the time since the first read. */
async function concluded(seenAt: (elapsedMs: number) => Finding | 'unreadable', own: Partial<LookLimits> = {}) {
  const clock = fakeClock()
  const startedAt = clock.steady()
  const look = async () => {
    const seen = seenAt(clock.steady() - startedAt)
    if (seen === 'unreadable') throw unreadable
    return seen
  }
  const { signal } = new AbortController()
  const conclusion = await pollForOutcome(look, { ...limits, ...own }, { clock, signal })
  return { state: conclusion.state, afterMs: clock.steady() - startedAt }
}

test('what does not show within the window is not done, as far as can be known', async () => {
  expect(await concluded(() => ({ state: 'notVisible' }))).toEqual({ state: 'notVisible', afterMs: WINDOW_MS })
})

test('the window begins with the first reading that succeeds: readings that fail do not use it up', async () => {
  const downMs = 4 * WINDOW_MS
  const shownMs = downMs + WINDOW_MS - 1_000
  const seenAt = (elapsedMs: number) =>
    elapsedMs < downMs ? 'unreadable' : elapsedMs < shownMs ? ({ state: 'notVisible' } as const) : done
  const { state, afterMs } = await concluded(seenAt)
  expect(state).toBe('done')
  expect(afterMs).toBeGreaterThanOrEqual(shownMs)
})

test('a service that cannot be read for ten minutes is for a person', async () => {
  expect(await concluded(() => 'unreadable')).toEqual({ state: 'unreachable', afterMs: 600_000 })
})

test('of what took effect and does not show, the last look is a wide one', async () => {
  const clock = fakeClock()
  const { signal } = new AbortController()
  const looks: boolean[] = []
  const look = async ({ isWide }: { isWide: boolean }) => {
    looks.push(isWide)
    return isWide ? done : ({ state: 'notVisible' } as const)
  }
  expect(await pollForOutcome(look, { ...limits, isApplied: true }, { clock, signal })).toEqual(done)
  expect(looks.indexOf(true)).toBe(looks.length - 1)
  const fails = async ({ isWide }: { isWide: boolean }) => (isWide ? Promise.reject(unreadable) : look({ isWide }))
  expect(await pollForOutcome(fails, { ...limits, isApplied: true }, { clock, signal })).toEqual({
    state: 'notVisible',
  })
})

test('what is not done is that at once; if it is known to be applied, it may still become visible', async () => {
  const notDone = { state: 'notDone' } as const
  expect(await concluded(() => notDone)).toEqual({ state: 'notDone', afterMs: 0 })
  expect(await concluded(() => notDone, { isApplied: true })).toEqual({ state: 'notDone', afterMs: WINDOW_MS })
  const seenAt = (elapsedMs: number) => (elapsedMs < WINDOW_MS - 1_000 ? notDone : done)
  expect(await concluded(seenAt, { isApplied: true })).toMatchObject({ state: 'done' })
})
