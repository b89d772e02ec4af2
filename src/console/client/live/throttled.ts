/** Runs `work` at once, then at most every so often, never twice at a time, and always once more after the last call. */
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
