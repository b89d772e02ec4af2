/** Calls per second of `concurrency` callers, each of which calls again as soon as it was answered. */
export async function rate(concurrency: number, milliseconds: number, call: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  const until = begun + milliseconds
  let calls = 0
  const caller = async () => {
    while (performance.now() < until) {
      await call()
      calls += 1
    }
  }
  await Promise.all(Array.from({ length: concurrency }, caller))
  return calls / ((performance.now() - begun) / 1000)
}
