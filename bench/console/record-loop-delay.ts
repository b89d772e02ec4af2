import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

/**
 * Loaded into the daemon by `--import`. The first SIGUSR2 starts measuring the delay of its event loop; the second one
 * writes the figures, in milliseconds, to the file that LOOP_DELAY_FILE names.
 */

const file = process.env.LOOP_DELAY_FILE
if (isMainThread && file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  let isWatching = false
  process.on('SIGUSR2', () => {
    if (isWatching) {
      delay.disable()
      const [p50, p99, longest] = [delay.percentile(50), delay.percentile(99), delay.max].map((ns) => ns / 1e6)
      writeFileSync(file, JSON.stringify({ p50, p99, longest }))
    } else delay.enable()
    isWatching = !isWatching
  })
}
