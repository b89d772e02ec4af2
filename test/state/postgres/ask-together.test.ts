import { expect, test } from 'vitest'
import { askTogether } from '../../../src/state/postgres/ask-together.ts'

test('what is asked within a turn is one question, and each thing is in it once', async () => {
  const questions: (readonly string[])[] = []
  const ask = askTogether(3, async (things) => {
    questions.push(things)
    return (thing) => `${thing} of ${things.length}`
  })
  expect(await Promise.all(['a', 'b', 'a', 'c'].map(ask))).toEqual(['a of 2', 'b of 2', 'a of 2', 'c of 1'])
  expect(questions).toEqual([['a', 'b'], ['c']])
})
