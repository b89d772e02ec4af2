import { setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { afterAll, expect, test } from 'vitest'
import { AudienceError } from '../../src/core/errors.ts'
import { AskedThread } from '../../src/platform/asked-thread.ts'
import type { answers } from './support/asked-program.ts'

const begin = () => new Worker(new URL('./support/asked-program.ts', import.meta.url))
const thread = new AskedThread<typeof answers>(begin)
afterAll(() => thread.close())

test('a thread answers each question; an error for people stays one', async () => {
  const asked = [thread.ask('count'), thread.ask('later', 'text'), thread.ask('count')]
  expect(await Promise.all(asked)).toEqual([1, 'TEXT', 2])
  const refused = await thread.ask('refuse').catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(AudienceError)
  expect(refused).toMatchObject({
    ...{ code: 'unknown-run', kind: 'usage', message: 'there is no run x', hint: 'look again' },
  })
  const failed = await thread.ask('fail').catch((error: unknown) => error)
  expect(failed).not.toBeInstanceOf(AudienceError)
  expect(failed).toMatchObject({ message: 'a mistake of ours' })
})

test('if the thread ends, what was asked fails, and the next question starts another', async () => {
  await expect(thread.ask('end')).rejects.toThrow('the thread that reads the state ended')
  expect(await thread.ask('count')).toBe(1)
})

test('what is asked while an idle thread ends is answered by another', async () => {
  const brief = new AskedThread<typeof answers>(begin, 0)
  expect(await brief.ask('count')).toBe(1)
  // Timers of one length end in their order.
  await setTimeout(0)
  expect(await brief.ask('count')).toBe(1)
  await brief.close()
})

test('a closed thread is not started again', async () => {
  const closed = new AskedThread<typeof answers>(begin)
  await closed.ask('count')
  await closed.close()
  await expect(closed.ask('count')).rejects.toThrow('is closed')
})
