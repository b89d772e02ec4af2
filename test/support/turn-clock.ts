import { beforeAll } from 'vitest'
import type { SteadyClock } from '../../src/core/clock.ts'
import { systemClock } from '../../src/platform/clock.ts'

/** The time that a turn of the event loop takes, in milliseconds. */
const TURN_MS = 50

interface Sleeper {
  readonly dueAt: number
  readonly wake: () => void
}

/**
 * A clock that counts turns of the event loop, and only while somebody sleeps on it. Half a minute passes in less than
 * a second, and on a busy machine nothing is late: without a turn, no time passes.
 */
export const turnClock: SteadyClock = {
  now: () => nowMs,
  steady: () => nowMs,
  timer: systemClock.timer,
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const sleeper = { dueAt: nowMs + Math.max(0, ms), wake }
      function stop() {
        sleepers.delete(sleeper)
        reject(signal?.reason)
      }
      function wake() {
        signal?.removeEventListener('abort', stop)
        resolve()
      }
      signal?.addEventListener('abort', stop, { once: true })
      sleepers.add(sleeper)
      goOn()
    })
  },
}

/**
 * The product uses this clock while the tests of this file run. The next file in this process gets the real clock back.
 */
export function useTurnClock(): void {
  beforeAll(() => {
    const own = { ...systemClock }
    Object.assign(systemClock, turnClock)
    return () => void Object.assign(systemClock, own)
  })
}

const sleepers = new Set<Sleeper>()
let nowMs = Date.UTC(2026, 0, 31)
let isGoing = false

function goOn(): void {
  if (isGoing || sleepers.size === 0) return
  isGoing = true
  setTimeout(() => {
    isGoing = false
    nowMs += TURN_MS
    for (const sleeper of [...sleepers].filter(({ dueAt }) => dueAt <= nowMs)) {
      sleepers.delete(sleeper)
      sleeper.wake()
    }
    goOn()
  }, 1)
}
