import { test } from 'vitest'
import { seededRandom } from '../service/support/seeded-random.ts'
import { liveThrough } from '../support/nights/live-through.ts'
import { tempFolder } from '../support/temp-folder.ts'

/*
 * A month of nights of the real command against the real service, in a time of its own: clocks go back in Berlin on
 * 25 October, while nothing runs, and in New York on 1 November.
 */
test('every slot of a month in autumn is accounted for once', { timeout: 120_000 }, async () => {
  const at = Date.parse
  const tally = await liveThrough(
    {
      from: at('2026-10-15T16:00Z'),
      to: at('2026-11-15T16:00Z'),
      downs: [
        { from: at('2026-10-19T12:00Z'), to: at('2026-10-20T14:00Z') },
        { from: at('2026-10-24T12:00Z'), to: at('2026-10-27T13:00Z') },
      ],
      pause: { schedule: 'east', from: at('2026-10-29T12:00Z'), to: at('2026-11-02T13:00Z') },
      askedOn: '2026-11-05',
      asked: { from: at('2026-11-05T09:00Z'), to: at('2026-11-07T15:00Z') },
      killed: [
        { from: at('2026-10-28T00:00Z'), to: at('2026-10-28T12:00Z') },
        { from: at('2026-11-01T00:00Z'), to: at('2026-11-01T12:00Z') },
      ],
    },
    tempFolder(),
    seededRandom(11),
  )
  if (process.env.TALLY) process.stderr.write(`${JSON.stringify(tally)}\n`)
})
