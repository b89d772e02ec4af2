import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Clock, look } from '../core/clock.ts'

const LOOK_EVERY_MS = 10_000
/** Releasing memory takes up to a tenth of a second. That is too long for less memory than this. */
const WORTH_BYTES = 16 * 1024 * 1024
/** A process is idle if it spends less than this share of its time on work. */
const REST_SHARE = 0.25

/**
 * Gives memory back to the system when there is little to do, because after a burst V8 keeps its memory until asked to
 * release it. Ends when the signal aborts.
 */
export async function releaseMemory(clock: Clock, signal: AbortSignal): Promise<void> {
  let collect: ((options: object) => void) | undefined
  let before = performance.eventLoopUtilization()
  // The first idle period releases what the start left behind.
  let inUse = 0
  while (!signal.aborted) {
    await look(clock, LOOK_EVERY_MS, signal)
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (signal.aborted || utilization > REST_SHARE) continue
    // V8 keeps pages that it has freed, so the size of the heap does not show how much could be released.
    const resident = process.memoryUsage.rss()
    inUse = Math.min(inUse, resident)
    if (resident - inUse < WORTH_BYTES) continue
    collect ??= garbageCollector()
    // Only this kind of collection returns the freed pages.
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    inUse = process.memoryUsage.rss()
  }
}

/**
 * Node provides the collector only through a command-line flag. A context that is created after the flag was set has
 * the collector.
 */
export function garbageCollector(): (options: object) => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as (options: object) => void
}
