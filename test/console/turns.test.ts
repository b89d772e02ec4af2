import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTurns } from '../../src/console/server/console-requests.ts'

test('what waits for a turn goes on in order, one in each turn of the event loop', async () => {
  const turn = createTurns()
  const done: number[] = []
  const all = Promise.all(
    [1, 2, 3].map(async (number) => {
      await turn()
      done.push(number)
    }),
  )
  const seen: number[] = []
  while (done.length < 3) {
    seen.push(done.length)
    await setImmediate()
  }
  await all
  expect([done, [...new Set(seen)]]).toEqual([
    [1, 2, 3],
    [0, 1, 2],
  ])
})
