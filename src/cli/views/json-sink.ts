import type { Clock } from '../../core/clock.ts'
import { isoTime } from '../../core/iso-time.ts'
import { jsonLine } from '../../core/printable.ts'
import type { EventSink } from './event-sink.ts'

/** One JSON object per line, for programs. */
export function jsonSink(out: NodeJS.WritableStream, clock: Pick<Clock, 'now'>): EventSink {
  return {
    event: (event) => {
      out.write(`${jsonLine(event)}\n`)
    },
    // All events belong to one run.
    childWaits: () => undefined,
    leaves: ({ runId, waits, next }) => {
      const line = {
        event: 'run.left',
        at: isoTime(clock.now()),
        runId,
        waits,
        continuedBy: next.by,
        next: next.text,
      }
      out.write(`${jsonLine(line)}\n`)
    },
    close: () => undefined,
  }
}
