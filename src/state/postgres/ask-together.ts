/**
 * Answers questions about many things with one statement for several: what is asked within a turn, or while a statement is
 * under way, goes together with the next one. `ask` returns how to answer for each thing.
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
      // One that is asked for twice is one row of the answer.
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
