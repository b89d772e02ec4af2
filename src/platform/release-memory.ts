import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Clock } from '../core/clock.ts'

const LOOK_EVERY_MS = 10_000
/** Releasing takes a tenth of a second; it is not worth it for less than this. */
const WORTH_BYTES = 64 * 1024 * 1024
/** A process is idle if it spends less than this share of its time on work. */
const REST_SHARE = 0.25

/**
 * Gives memory back to the system when there is little to do: after a burst, V8 keeps its memory until asked to release
 * it. Ends when the signal aborts.
 */
export async function releaseMemory(clock: Clock, signal: AbortSignal): Promise<void> {
  let collect: ((options: object) => void) | undefined
  let before = performance.eventLoopUtilization()
  while (!signal.aborted) {
    await clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined)
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (signal.aborted || utilization > REST_SHARE || unusedBytes() < WORTH_BYTES) continue
    collect ??= garbageCollector()
    // Only this kind of collection returns the freed pages.
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  }
}

/** The unused part of the heap. */
function unusedBytes(): number {
  const { heapTotal, heapUsed } = process.memoryUsage()
  return heapTotal - heapUsed
}

/** Node provides it only through a command-line flag; a context that is created after the flag was set has it. */
function garbageCollector(): (options: object) => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as (options: object) => void
}
