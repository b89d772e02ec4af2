import { test } from 'vitest'
import { seededRandom } from '../service/support/seeded-random.ts'
import { liveThrough } from '../support/nights/live-through.ts'
import { tempFolder } from '../support/temp-folder.ts'

/*
 * A month of nights of the real command against the real service, in a time of its own: clocks go forward in
 * New York on 8 March, while nothing runs, and in Berlin on 29 March.
 */
test('every slot of a month in spring is accounted for once', { timeout: 120_000 }, async () => {
  const at = Date.parse
  const tally = await liveThrough(
    {
      from: at('2026-03-03T16:00Z'),
      to: at('2026-04-03T16:00Z'),
      downs: [
        { from: at('2026-03-06T12:00Z'), to: at('2026-03-09T14:00Z') },
        { from: at('2026-03-14T12:00Z'), to: at('2026-03-16T13:00Z') },
      ],
      pause: { schedule: 'berlin', from: at('2026-03-20T12:00Z'), to: at('2026-03-23T13:00Z') },
      askedOn: '2026-03-24',
      asked: { from: at('2026-03-24T08:00Z'), to: at('2026-03-26T15:00Z') },
      killed: [{ from: at('2026-03-29T00:00Z'), to: at('2026-03-29T12:00Z') }],
    },
    tempFolder(),
    seededRandom(23),
  )
  if (process.env.TALLY) process.stderr.write(`${JSON.stringify(tally)}\n`)
})
