import { expect, test } from 'vitest'
import { ListError } from '../../../src/adapter/list-error.ts'
import { pollForOutcome } from '../../../src/steps/writes/poll-for-outcome.ts'
import { fakeClock } from '../../adapter/fake-clock.ts'

const LIMITS = { windowMs: 15_000, maxWaitMs: 15_000, isApplied: false }

const unreadable = (code: string) => new ListError({ code, kind: 'failed', message: 'it changed', hint: 'try again' })

test.each(['list-not-still', 'list-too-long', 'list-without-progress'])(
  'a look that ends with %s tells nothing: it is repeated, and then a person decides',
  async (code) => {
    const error = unreadable(code)
    let looks = 0
    const look = async () => {
      looks += 1
      throw error
    }
    const conclusion = await pollForOutcome(look, LIMITS, { clock: fakeClock(), signal: new AbortController().signal })
    expect(conclusion).toEqual({ state: 'unreachable', error })
    expect(looks).toBeGreaterThan(1)
  },
)

test('what a list does not tell once, it may tell later', async () => {
  const answers = [unreadable('list-not-still'), { state: 'done' as const, answer: { id: '7' } }]
  const look = async () => {
    const [answer] = answers.splice(0, 1)
    if (answer instanceof ListError || !answer) throw answer
    return answer
  }
  const conclusion = await pollForOutcome(look, LIMITS, { clock: fakeClock(), signal: new AbortController().signal })
  expect(conclusion).toEqual({ state: 'done', answer: { id: '7' } })
})
