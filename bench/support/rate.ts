/** The calls per second of `concurrency` callers; each calls again as soon as it has its answer. */
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
