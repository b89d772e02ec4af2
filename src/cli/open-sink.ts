import type { Terminal } from './terminal.ts'
import type { EventSink } from './views/event-sink.ts'
import { jsonSink } from './views/json-sink.ts'
import { lineSink } from './views/line-sink.ts'

/**
 * Shows a run: live on a terminal, elsewhere as lines. The lines leave out events before `since`, in ms since 1970.
 * With `json`, prints all events, one JSON object per line.
 */
export async function openSink(
  { out, surroundings }: Terminal,
  json: true | undefined,
  since?: number,
): Promise<EventSink> {
  const { clock } = surroundings
  if (json) return jsonSink(out, clock)
  if (!out.isTTY) return lineSink(out, clock, since)
  const { liveSink } = await import('./views/live-sink.ts')
  return liveSink(out, clock)
}
