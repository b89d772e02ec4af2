import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { seededRandom } from '../service/support/seeded-random.ts'
import { liveThrough, type Month } from '../support/nights/live-through.ts'

/*
 * Months of nights of the real command against the real service, in a time of their own. Once clocks are changed while
 * nothing runs, and once while the daemon is killed at every slot.
 */
const at = Date.parse
const MONTHS: readonly (Month & { readonly name: string; readonly seed: number })[] = [
  {
    // In Berlin clocks go back on 25 October, in New York on 1 November.
    name: 'autumn',
    seed: 11,
    from: at('2026-10-15T16:00Z'),
    to: at('2026-11-15T16:00Z'),
    downs: [
      { from: at('2026-10-19T12:00Z'), to: at('2026-10-20T14:00Z') },
      { from: at('2026-10-24T12:00Z'), to: at('2026-10-27T13:00Z') },
    ],
    pause: { schedule: 'east', from: at('2026-11-07T12:00Z'), to: at('2026-11-10T13:00Z') },
    askedOn: '2026-11-03',
    asked: { from: at('2026-11-03T09:00Z'), to: at('2026-11-05T15:00Z') },
    killed: { from: at('2026-11-01T00:00Z'), to: at('2026-11-01T12:00Z') },
  },
  {
    // In New York clocks go forward on 8 March, in Berlin on 29 March.
    name: 'spring',
    seed: 23,
    from: at('2026-03-03T16:00Z'),
    to: at('2026-04-03T16:00Z'),
    downs: [
      { from: at('2026-03-06T12:00Z'), to: at('2026-03-09T14:00Z') },
      { from: at('2026-03-14T12:00Z'), to: at('2026-03-16T13:00Z') },
    ],
    pause: { schedule: 'berlin', from: at('2026-03-20T12:00Z'), to: at('2026-03-23T13:00Z') },
    askedOn: '2026-03-24',
    asked: { from: at('2026-03-24T08:00Z'), to: at('2026-03-26T15:00Z') },
    killed: { from: at('2026-03-29T00:00Z'), to: at('2026-03-29T12:00Z') },
  },
]

test.concurrent.for(MONTHS)(
  'every slot of a month in $name is accounted for once, whatever is killed',
  { timeout: 900_000 },
  async (month) => {
    const folder = mkdtempSync(join(tmpdir(), 'audience-nights-'))
    try {
      const tally = await liveThrough(month, folder, seededRandom(month.seed))
      // So that it stays a story of kills, of nights that were missed and of runs that were interrupted.
      expect(tally.slots).toBeGreaterThan(200)
      expect(tally.kills).toBeGreaterThan(15)
      expect(tally.interruptions).toBeGreaterThan(0)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)
