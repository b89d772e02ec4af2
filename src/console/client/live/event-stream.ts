import { apiPaths } from '../../../generated/api-paths.ts'
import type { StreamEvents } from '../../api/events.ts'
import { sessionHeaders } from '../api/session.ts'
import { apiUrl } from '../api/url.ts'
import { BASE_PATH } from '../base-path.ts'
import type { Change } from './changes.ts'

const KINDS: readonly (keyof StreamEvents)[] = ['hello', 'runs', 'steps', 'pipelines', 'beat']
const AGAIN_AFTER_MS = 1000
/**
 * The longest pause before the next attempt. When the server is back, a page is live again within three seconds. A page
 * that is signed out waits this long between its requests.
 */
const LONGEST_PAUSE_MS = 2000
/** Beats arrive every 15 seconds. If two are missing, the stream is dead. */
const SILENCE_MS = 35_000

/**
 * Follows the stream of the server as long as the page is open, and reconnects each time it breaks. `EventSource` is
 * not used, because it cannot send the header that proves the session.
 */
export async function followChanges(onEvent: (change: Change) => void, onLost: () => void): Promise<never> {
  let pauseMs = AGAIN_AFTER_MS
  for (;;) {
    const stop = new AbortController()
    const giveUp = () => stop.abort()
    let silence = setTimeout(giveUp, SILENCE_MS)
    const receive = (change: Change) => {
      clearTimeout(silence)
      silence = setTimeout(giveUp, SILENCE_MS)
      pauseMs = AGAIN_AFTER_MS
      onEvent(change)
    }
    await readStream(receive, stop.signal).catch(() => {})
    clearTimeout(silence)
    onLost()
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
  }
}

/** Reads the stream until it ends. Rejects if it cannot be read or is aborted. */
async function readStream(onEvent: (change: Change) => void, signal: AbortSignal): Promise<void> {
  const headers = { accept: 'text/event-stream', ...sessionHeaders() }
  const response = await fetch(apiUrl(BASE_PATH, apiPaths['events.follow'], {}), {
    headers,
    credentials: 'same-origin',
    signal,
  })
  if (!response.ok || response.body === null) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const messages = (rest + read.value).split('\n\n')
    rest = messages.pop() ?? ''
    for (const message of messages) {
      const [, kind, data] = /^event: (\w+)\ndata: (.*)$/.exec(message) ?? []
      // The server sends only events that fit its schema.
      if (KINDS.some((known) => known === kind)) onEvent({ kind, ...(JSON.parse(data ?? '') as object) } as Change)
    }
  }
}
