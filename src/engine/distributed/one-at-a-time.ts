/**
 * Does the work now; if it is under way already, once more after that. A failure is ignored, because the callers repeat
 * the work regularly.
 */
export function oneAtATime(work: () => Promise<void>): () => void {
  let state: 'idle' | 'working' | 'again' = 'idle'
  const start = async () => {
    state = 'working'
    await work().catch(() => undefined)
    const isAgain = (state as string) === 'again'
    state = 'idle'
    if (isAgain) void start()
  }
  return () => {
    if (state === 'idle') void start()
    else state = 'again'
  }
}
