import { expect, test } from 'vitest'
import { countExpired, pruneHistory, prunePolicy } from '../../src/acts/prune-history.ts'
import type { Settings } from '../../src/config/settings.ts'
import { DAY_MS } from '../../src/core/duration.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { openRecordedProject } from '../support/recorded-state.ts'
import { tempFolder } from '../support/temp-folder.ts'

const NOW = Date.UTC(2026, 10, 27, 2)
const retention = { runsMs: 30 * DAY_MS, keep: 1 } as Settings['retention']
const ANA = { by: 'Ana', comment: 'room' }

/** Three ended runs, ten days apart, and an old one that has not ended. */
async function opened() {
  const state = openRecordedProject(tempFolder())
  await state.addRun('20260901t010000-dddddddddd', { at: NOW - 90 * DAY_MS })
  for (const [id, days] of [
    ['a', 60],
    ['b', 50],
    ['c', 40],
  ] as const)
    await state.addRun(`2026100${days / 10}t010000-${id.repeat(10)}`, { at: NOW - days * DAY_MS, status: 'failed' })
  return { ...state, [Symbol.asyncDispose]: async () => state.close() }
}

test.each([
  [{}, 2],
  [{ keep: 0 }, 3],
  [{ keep: 2 }, 1],
  [{ olderThanMs: 55 * DAY_MS }, 1],
  [{ olderThanMs: 45 * DAY_MS, keep: 0 }, 2],
  [{ olderThanMs: 100 * DAY_MS, keep: 0 }, 0],
])('what nobody names comes from the retention: of three runs, %o lets %i go', async (asked, expected) => {
  await using state = await opened()
  const policy = prunePolicy(asked, { retention, now: NOW })
  expect(await countExpired(policy, state)).toBe(expected)
  const { runs, audit } = state
  const { signal } = new AbortController()
  const deps = { runs, audit, clock: systemClock, steadyMs: systemClock.steady, signal }
  expect(await pruneHistory(policy, ANA, deps)).toBe(expected)
  expect(await countExpired(policy, state)).toBe(0)
  const [entry] = await audit.list({ limit: 1 })
  const detail = `${expected} ${expected === 1 ? 'run' : 'runs'}`
  expect(entry).toMatchObject({ ...ANA, act: 'runs.prune', subject: 'runs', detail, outcome: 'done' })
})
