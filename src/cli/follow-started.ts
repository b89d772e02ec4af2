import type { Submission } from '../core/engine.ts'
import { isoTime } from '../core/iso-time.ts'
import type { RunEvent } from '../core/run-event.ts'
import { systemClock } from '../platform/clock.ts'
import { type FollowFlags, followRun, type RunView } from './follow-run.ts'
import type { Terminal } from './terminal.ts'
import { jsonSink } from './views/json-sink.ts'
import { lineSink } from './views/line-sink.ts'

/** Shows a run that was asked for to its end. That it was skipped is not a failure. */
export async function followStarted(
  app: RunView,
  { asked, runId, state }: Pick<Submission, 'runId' | 'state'> & { readonly asked: string },
  flags: FollowFlags,
  terminal: Terminal,
): Promise<number> {
  return state === 'skipped' ? tellSkipped(asked, runId, flags, terminal) : followRun(app, runId, flags, terminal)
}

/** Reports that the pipeline's own settings prevented a run; returns the exit code. */
export function tellSkipped(
  runId: string,
  behind: string,
  { json }: { readonly json?: true },
  { out }: Terminal,
): number {
  const event: RunEvent = { event: 'run.skipped', at: isoTime(systemClock.now()), runId, behind }
  const sink = json ? jsonSink(out) : lineSink(out)
  sink.event(event)
  return 0
}
