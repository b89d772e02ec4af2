import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import { createReadThread } from '../../src/app/read-thread.ts'
import { openEmbeddedState } from '../../src/state/sqlite/open-embedded-state.ts'
import type { State } from '../../src/state/state.ts'
import { around } from '../../test/support/around.ts'
import { describeMachine } from '../engine/describe-machine.ts'
import { printTable, verdict } from '../engine/print-table.ts'
import { fillRuns, fillSlots } from '../support/fill-runs.ts'
import { withTempFolder } from '../support/temp-folder.ts'
import { medianMs, READS, searchToTheEnd } from './timed-reads.ts'

/**
 * How long lists, charts and searches over many runs block the process that reads them. Usage: node reads.ts [RUNS]
 * [READERS] [PIPELINES]
 */
const RUNS = Number(process.argv[2] ?? 100_000)
const READERS = Number(process.argv[3] ?? 20)
const PIPELINES = Number(process.argv[4] ?? 40)
const FOR_MS = 5000
const LONGEST_READ_MS = 50
const LONGEST_DELAY_MS = 30

await withTempFolder(async (folder) => {
  describeMachine()
  const now = Date.now()
  fillRuns(folder, { runs: RUNS, waiting: 3, now, pipelines: PIPELINES })
  fillSlots(folder)
  const rows: string[][] = []
  const thread = createReadThread({ state: folder })
  for (const isBusy of [true, false]) {
    const options = { folder, redact: (text: string) => text, ...around, ...(isBusy && thread) }
    const state = openEmbeddedState(options)
    const where = isBusy ? 'thread' : 'process'
    for (const [name, read] of Object.entries(READS)) {
      const ms = await medianMs(() => read(state, now))
      rows.push([`${name}, in the ${where}`, `${ms.toFixed(2)} ms`, isBusy ? verdict(ms <= LONGEST_READ_MS) : ''])
    }
    rows.push([
      `a search to its end, in the ${where}`,
      `${(await medianMs(() => searchToTheEnd(state))).toFixed(0)} ms`,
      '',
    ])
    const delayMs = await delayWith(state, now)
    rows.push([
      `loop delay p99 with ${READERS} readers, in the ${where}`,
      `${delayMs.toFixed(1)} ms`,
      isBusy ? verdict(delayMs <= LONGEST_DELAY_MS) : '',
    ])
    await state.close()
  }
  await thread.close()
  printTable([`reads of ${RUNS.toLocaleString('en')} runs`, 'median', 'limit'], rows)
})

/** The delay of this process's event loop while readers read everything in turn. */
async function delayWith(state: State, now: number): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const until = performance.now() + FOR_MS
  delay.enable()
  const reader = async (first: number) => {
    const reads = Object.values(READS)
    for (let n = first; performance.now() < until; n++) {
      await reads[n % reads.length]?.(state, now)
      // Other work comes in between, as between the requests of readers.
      await setImmediate()
    }
  }
  await Promise.all(Array.from({ length: READERS }, (_, n) => reader(n)))
  delay.disable()
  return delay.percentile(99) / 1e6
}
