import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Clock } from './core/clock.ts'

const LOOK_EVERY_MS = 10_000
/** Less than this is not worth the tenth of a second that it takes. */
const WORTH_BYTES = 64 * 1024 * 1024
/** A process is at rest when less of its time than this goes into work. */
const REST_SHARE = 0.25

/**
 * Gives memory back to the system when there is little to do: after a burst V8 keeps what it had, for as long as it is
 * not asked. Ends when the signal aborts.
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
    // Only this kind returns the pages that it frees.
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  }
}

/** What the heap holds without using it. */
function unusedBytes(): number {
  const { heapTotal, heapUsed } = process.memoryUsage()
  return heapTotal - heapUsed
}

/** Node hands it out only by a flag of the command line; in a context that is made after the flag was set it is there. */
function garbageCollector(): (options: object) => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as (options: object) => void
}
