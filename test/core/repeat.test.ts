import { expect, test } from 'vitest'
import { unavailableError } from '../../src/core/errors.ts'
import { repeat } from '../../src/core/repeat.ts'
import { heldClock } from '../support/held-clock.ts'

test('work is done again after each rest, however it ends, until the signal aborts', async () => {
  const clock = heldClock()
  const over = new AbortController()
  const began = clock.now()
  const times: number[] = []
  const work = () => {
    times.push(clock.now() - began)
    throw new Error('no')
  }
  const done = repeat(work, { clock, firstMs: 10, everyMs: 100, signal: over.signal, failed: () => undefined })
  await clock.pass(250)
  over.abort()
  await done
  expect(times).toEqual([10, 110, 210])
})

test('a failure is told once, and again after a success; that the state is away is told by others', async () => {
  const clock = heldClock()
  const over = new AbortController()
  const ends = ['full', 'full', 'broken', undefined, 'broken', 'away']
  const told: string[] = []
  const work = async () => {
    const end = ends.shift()
    if (end === 'away') throw unavailableError('state-unreachable', 'away', 'wait')
    if (end !== undefined) throw new Error(end)
  }
  const failed = (error: unknown) => told.push((error as Error).message)
  const done = repeat(work, { clock, everyMs: 100, signal: over.signal, failed })
  await clock.pass(1000)
  over.abort()
  await done
  expect([told, ends]).toEqual([['full', 'broken', 'broken'], []])
})
