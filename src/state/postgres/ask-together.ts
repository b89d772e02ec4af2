/**
 * Answers many questions with few statements. Questions that are asked in the same turn, or while a statement runs,
 * share the next statement. `ask` returns a function that returns the answer for each key.
 */
export function askTogether<Answer>(
  most: number,
  ask: (things: readonly string[]) => Promise<(thing: string) => Answer>,
): (thing: string) => Promise<Answer> {
  const waiting: { thing: string; resolve(answer: Answer | Promise<Answer>): void }[] = []
  let isAsking = false

  async function askAll(): Promise<void> {
    while (waiting.length > 0) {
      const asked = waiting.splice(0, most)
      // A key that several callers ask for is sent only once, because the result has one row for each key.
      const answers = ask([...new Set(asked.map(({ thing }) => thing))])
      for (const { thing, resolve } of asked) resolve(answers.then((answer) => answer(thing)))
      await answers.catch(() => undefined)
    }
    isAsking = false
  }

  return (thing) =>
    new Promise((resolve) => {
      waiting.push({ thing, resolve })
      if (isAsking) return
      isAsking = true
      setImmediate(() => void askAll())
    })
}
