import { stringifyJson } from '../../core/json.ts'
import type { EventSink } from './event-sink.ts'

/** One JSON object a line, for machines. */
export function jsonSink(out: NodeJS.WritableStream): EventSink {
  return {
    event: (event) => {
      out.write(`${stringifyJson(event)}\n`)
    },
    close: () => undefined,
  }
}
