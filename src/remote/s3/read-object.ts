import type { Readable } from 'node:stream'
import type { SteadyClock } from '../../core/clock.ts'

/** How long the store may send nothing in the middle of a file. */
const SILENCE_MS = 60_000

/** At most `length` bytes of a body. In any case, its connection is free afterwards. */
export async function* readObject(
  body: Readable,
  { length, clock, signal }: { readonly length: number; readonly clock: SteadyClock; readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  let isWaiting = true
  const silence = clock.timer(SILENCE_MS, () => {
    if (isWaiting) body.destroy(new DOMException('it sends nothing', 'TimeoutError'))
    else silence.refresh()
  })
  const stop = () => void body.destroy()
  signal.addEventListener('abort', stop, { once: true })
  let left = length
  try {
    for await (const piece of body as AsyncIterable<Uint8Array>) {
      isWaiting = false
      if (piece.length > 0) yield piece.length > left ? piece.subarray(0, left) : piece
      left -= piece.length
      if (left <= 0) return
      signal.throwIfAborted()
      isWaiting = true
      silence.refresh()
    }
  } finally {
    silence.cancel()
    signal.removeEventListener('abort', stop)
    body.destroy()
  }
}
