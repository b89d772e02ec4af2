import type { Submission } from '../core/engine.ts'
import { isoTime } from '../core/iso-time.ts'
import type { RunEvent } from '../core/run-event.ts'
import { type FollowFlags, followRun, type RunView } from './follow-run.ts'
import type { JsonFlag } from './options.ts'
import type { Terminal } from './terminal.ts'
import { jsonSink } from './views/json-sink.ts'
import { lineSink } from './views/line-sink.ts'

/** Shows a requested run to its end. A skipped run is not a failure. */
export async function followStarted(
  app: RunView,
  { asked, runId, state }: Pick<Submission, 'runId' | 'state'> & { asked: string },
  flags: FollowFlags,
  terminal: Terminal,
): Promise<number> {
  return state === 'skipped' ? tellSkipped(asked, runId, flags, terminal) : followRun(app, runId, flags, terminal)
}

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
