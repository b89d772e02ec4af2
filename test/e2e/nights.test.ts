import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { seededRandom } from '../service/support/seeded-random.ts'
import { isLong } from '../support/is-long.ts'
import { liveThrough, type Month, type Tally } from '../support/nights/live-through.ts'

/*
 * Nights of the real command against the real service, on a virtual clock. Clocks change while nothing runs, and while
 * the daemon is killed at every slot. `npm run soak` goes through whole months. In the short form, nothing runs between
 * the interesting nights: the others are missed and must be recorded as missed.
 */
interface Named extends Month {
  readonly name: string
  readonly seed: number
}

const at = Date.parse

/** Clocks go back on 25 October in Berlin and on 1 November in New York. */
const AUTUMN: Named = {
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
}

const SHORT_AUTUMN: Named = {
  ...AUTUMN,
  from: at('2026-10-23T16:00Z'),
  to: at('2026-11-01T16:00Z'),
  downs: [
    { from: at('2026-10-23T20:00Z'), to: at('2026-10-24T02:00Z') },
    { from: at('2026-10-24T12:00Z'), to: at('2026-10-29T13:00Z') },
  ],
  askedOn: '2026-10-30',
  asked: { from: at('2026-10-30T08:00Z'), to: at('2026-10-31T15:00Z') },
  pause: { schedule: 'east', from: at('2026-10-30T12:00Z'), to: at('2026-10-31T13:00Z') },
}

/** Clocks go forward on 8 March in New York and on 29 March in Berlin. */
const SPRING: Named = {
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
}

/** Nothing is paused and nobody is asked: the test of autumn covers that. */
const SHORT_SPRING: Named = {
  name: 'spring',
  seed: SPRING.seed,
  from: at('2026-03-06T00:00Z'),
  to: at('2026-03-29T16:00Z'),
  downs: [
    { from: at('2026-03-06T20:00Z'), to: at('2026-03-09T14:00Z') },
    { from: at('2026-03-09T20:00Z'), to: at('2026-03-28T16:00Z') },
  ],
  killed: SPRING.killed,
}

const tallies: Tally[] = []

test.for(isLong ? [AUTUMN, SPRING] : [SHORT_AUTUMN, SHORT_SPRING])(
  'every slot in $name is accounted for once, whatever is killed',
  async (month) => {
    const folder = mkdtempSync(join(tmpdir(), 'audience-nights-'))
    try {
      tallies.push(await liveThrough(month, folder, seededRandom(month.seed)))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

/** The stories must still have enough kills, missed nights and interrupted runs. */
afterAll(() => {
  const sum = (of: (tally: Tally) => number) => tallies.reduce((total, tally) => total + of(tally), 0)
  expect(sum(({ slots }) => slots)).toBeGreaterThan(isLong ? 400 : 100)
  expect(sum(({ kills }) => kills)).toBeGreaterThan(isLong ? 30 : 8)
  expect(sum(({ interruptions }) => interruptions)).toBeGreaterThan(0)
})
