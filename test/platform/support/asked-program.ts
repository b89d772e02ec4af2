import { AudienceError } from '../../../src/core/errors.ts'
import { answerAsked } from '../../../src/platform/asked-thread.ts'

let questions = 0

/** The answers of the test's thread. */
export const answers = {
  count: () => ++questions,
  later: async (text: string) => text.toUpperCase(),
  refuse() {
    throw new AudienceError({ code: 'unknown-run', kind: 'usage', message: 'there is no run x', hint: 'look again' })
  },
  fail() {
    throw new TypeError('a mistake of ours')
  },
  end: () => process.exit(1),
}

answerAsked(answers)
