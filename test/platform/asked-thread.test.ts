import { Worker } from 'node:worker_threads'
import { afterAll, expect, test } from 'vitest'
import { AudienceError } from '../../src/core/errors.ts'
import { AskedThread } from '../../src/platform/asked-thread.ts'
import type { answers } from './support/asked-program.ts'

const thread = new AskedThread<typeof answers>(() => new Worker(new URL('./support/asked-program.ts', import.meta.url)))
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
  await thread.ask('count')
  const ending = thread.close()
  const asked = thread.ask('count')
  await ending
  expect(await asked).toBe(1)
})
