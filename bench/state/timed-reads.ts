import type { RunFilter } from '../../src/state/run-history.ts'
import type { State } from '../../src/state/state.ts'
import { median } from '../engine/median.ts'

const HOUR_MS = 3_600_000
const TIMES = 21

const NAMES = Array.from({ length: 200 }, (_, n) => `pipeline-${n}`)
const NOWHERE = 'no run has this'

/** The reads of pages on a state with many runs. */
export const READS: Readonly<Record<string, (state: State, now: number) => Promise<unknown>>> = {
  'newest 50': ({ runs }) => runs.page({ limit: 50 }),
  'newest 50 that failed': ({ runs }) => runs.page({ status: ['failed'], limit: 50 }),
  'waiting for a person': ({ runs }) => runs.page({ status: ['waiting'], limit: 50 }),
  'newest 20 of each pipeline, of 200 at the most': ({ runs }) => runs.newestOf({ pipelines: NAMES, limit: 20 }),
  'of one pipeline that failed': ({ runs }) => runs.page({ pipeline: 'pipeline-7', status: ['failed'], limit: 50 }),
  'a search, one page': ({ runs }) => runs.page({ text: NOWHERE, limit: 50 }),
  'hours of a year': ({ runs }, now) => runs.countsByHour({ from: now - 365 * 24 * HOUR_MS, to: now }),
  'figures of 90 runs': ({ runs }) => runs.figures({ pipeline: 'pipeline-7', name: 'matchCount', limit: 90 }),
  'newest 200 slots': ({ occurrences }) => occurrences.list({ kind: 'slot', limit: 201 }),
  'newest 200 slots of one schedule': ({ occurrences }) =>
    occurrences.list({ pipeline: 'pipeline-7', trigger: 'night', kind: 'slot', limit: 201 }),
  'slots by trigger, of a day': ({ occurrences }, now) => occurrences.summary(now - 24 * HOUR_MS),
  'ended in a day': ({ runs }, now) => runs.endedSince(now - 24 * HOUR_MS),
}

/** A search that finds nothing, page by page to its end, as the console does it. */
export async function searchToTheEnd({ runs }: State): Promise<void> {
  let after: RunFilter['after']
  do ({ next: after } = await runs.page({ text: NOWHERE, limit: 50, ...(after && { after }) }))
  while (after)
}

/** The median time of a read, in milliseconds. */
export async function medianMs(read: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < TIMES; n++) {
    const begun = performance.now()
    await read()
    times.push(performance.now() - begun)
  }
  return median(times)
}
