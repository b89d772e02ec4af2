import { expect, test } from 'vitest'
import { withinGrace } from '../../src/cli/start-daemon.ts'

/** A clock whose sleep ends when the test says so. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>()
  let signal: AbortSignal | undefined
  const sleep = (_ms: number, given?: AbortSignal) => {
    signal = given
    return promise
  }
  return { clock: { sleep }, wake: resolve, isAborted: () => signal?.aborted }
}

test('what ends in time is not given up', async () => {
  const { clock, isAborted } = held()
  let gaveUp = false
  await withinGrace(async () => undefined, { clock, graceMs: 5, giveUp: () => (gaveUp = true) })
  expect([gaveUp, isAborted()]).toEqual([false, true])
})

test('what never ends is given up once', async () => {
  const { clock, wake } = held()
  const given = Promise.withResolvers<void>()
  void withinGrace(() => new Promise(() => undefined), { clock, graceMs: 5, giveUp: given.resolve })
  wake()
  await given.promise
})
