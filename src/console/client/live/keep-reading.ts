import { type Change, ofKind, onChange } from './changes.ts'

const AT_MOST_EVERY_MS = 400

/**
 * Reads now. Reads again after each reconnection, after each action on this page, and after each change that `affects`
 * the data, until `signal` is aborted. Returns a function that reads once more.
 */
export function keepReading(
  read: () => Promise<void>,
  affects: (change: Change) => boolean,
  signal: AbortSignal,
): () => void {
  const isForAll = ofKind('hello', 'acted')
  const reload = throttled(read)
  reload()
  const leave = onChange((change) => {
    if (isForAll(change) || affects(change)) reload()
  })
  signal.addEventListener('abort', leave)
  return reload
}

/**
 * Runs `work` immediately, then pauses for `AT_MOST_EVERY_MS` before each further run. Never runs it twice at the same
 * time. Always runs it once more after the last call.
 */
function throttled(work: () => Promise<void>): () => void {
  let isBusy = false
  let isWanted = false
  const run = async () => {
    isBusy = true
    do {
      isWanted = false
      await work()
      await new Promise((resolve) => setTimeout(resolve, AT_MOST_EVERY_MS))
    } while (isWanted)
    isBusy = false
  }
  return () => {
    isWanted = true
    if (!isBusy) void run()
  }
}
