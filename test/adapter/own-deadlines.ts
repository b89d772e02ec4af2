import { onTestFinished, vi } from 'vitest'

/** A limit by which the deadlines of answers are told from all other timers. */
export const DEADLINE_MS = 120_001

/**
 * Time for the deadlines of answers alone, which passes when a test says so. All other timers stay real: undici keeps
 * some of its own for the whole process.
 */
export function ownDeadlines(): { advance(ms: number): void } {
  const real = globalThis.setTimeout
  let nowMs = 0
  const dueAt = new Map<object, { at: number; run: () => void }>()
  const set = (run: () => void): object => {
    const timer = { refresh: () => void dueAt.set(timer, { at: nowMs + DEADLINE_MS, run }) }
    timer.refresh()
    return timer
  }
  const timeouts = vi
    .spyOn(globalThis, 'setTimeout')
    .mockImplementation(((run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) =>
      ms === DEADLINE_MS ? set(() => run(...args)) : real(run as () => void, ms, ...(args as []))) as typeof setTimeout)
  const realClear = globalThis.clearTimeout
  const clears = vi.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    if (typeof timer !== 'object' || !dueAt.delete(timer)) realClear(timer)
  })
  onTestFinished(() => {
    timeouts.mockRestore()
    clears.mockRestore()
  })
  return {
    advance(ms) {
      nowMs += ms
      for (const [timer, { at, run }] of [...dueAt]) if (at <= nowMs && dueAt.delete(timer)) run()
    },
  }
}
