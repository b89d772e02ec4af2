/**
 * Runs `work` at once, then at most every `everyMs`. Never runs it twice at the same time. Always runs it once more
 * after the last call.
 */
export function throttled(work: () => Promise<void>, everyMs: number): () => void {
  let isBusy = false
  let isWanted = false
  const run = async () => {
    isBusy = true
    do {
      isWanted = false
      await work()
      await new Promise((resolve) => setTimeout(resolve, everyMs))
    } while (isWanted)
    isBusy = false
  }
  return () => {
    isWanted = true
    if (!isBusy) void run()
  }
}
