import type { StreamEvents } from '../../api/events.ts'
import { BASE_PATH } from '../base-path.ts'
import type { Change } from './changes.ts'

const KINDS: readonly (keyof StreamEvents)[] = ['hello', 'runs', 'steps', 'pipelines', 'beat']
const AGAIN_AFTER_MS = 1000
/** A page whose server came back is live again within three seconds; a page that is signed out asks no more often than this. */
const LONGEST_PAUSE_MS = 2000
/** Beats come every 15 seconds: after two that are missing, the stream is dead. */
const SILENCE_MS = 35_000

/**
 * Follows the stream of the server for as long as the page lives, and reconnects each time it breaks. The browser's own
 * reconnecting gives up after an error of a proxy, and sees no dead connection.
 */
export function followEvents(
  onEvent: (change: Change) => void,
  onLost: () => void,
  againAfterMs = AGAIN_AFTER_MS,
): void {
  const source = new EventSource(`${BASE_PATH}api/v1/events`)
  let silence: ReturnType<typeof setTimeout>
  let pauseMs = againAfterMs
  const restart = () => {
    clearTimeout(silence)
    source.close()
    onLost()
    setTimeout(() => followEvents(onEvent, onLost, Math.min(2 * pauseMs, LONGEST_PAUSE_MS)), pauseMs)
  }
  const listen = () => {
    clearTimeout(silence)
    silence = setTimeout(restart, SILENCE_MS)
  }
  for (const kind of KINDS)
    source.addEventListener(kind, ({ data }: MessageEvent<string>) => {
      listen()
      pauseMs = AGAIN_AFTER_MS
      // The server's own events, by its schema.
      onEvent({ kind, ...(JSON.parse(data) as object) } as Change)
    })
  source.onerror = restart
  listen()
}
