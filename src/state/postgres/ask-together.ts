/**
 * Answers many questions with few statements: questions asked within a turn, or while a statement is under way, go
 * together with the next one. `ask` returns a function that answers for each key.
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
      // A key that is asked for twice has one row in the answer.
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
