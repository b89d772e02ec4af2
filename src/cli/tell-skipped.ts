import { isoTime } from '../core/iso-time.ts'
import type { RunEvent } from '../core/run-event.ts'
import type { JsonFlag } from './options.ts'
import type { Terminal } from './terminal.ts'
import { jsonSink } from './views/json-sink.ts'
import { lineSink } from './views/line-sink.ts'

/** Reports that the pipeline's own settings prevented a run. Returns the exit code. */
export function tellSkipped(
  runId: string,
  behind: string,
  { json }: JsonFlag,
  { out, surroundings }: Terminal,
): number {
  const { clock } = surroundings
  const event: RunEvent = { event: 'run.skipped', at: isoTime(clock.now()), runId, behind }
  const sink = json ? jsonSink(out, clock) : lineSink(out, clock)
  sink.event(event)
  return 0
}
