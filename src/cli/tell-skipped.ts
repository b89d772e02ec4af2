import { systemClock } from '../clock.ts'
import type { RunEvent } from '../core/run-event.ts'
import type { Terminal } from './terminal.ts'

/** Says that a run was not made because the pipeline wants it so; tells the exit code. */
export function tellSkipped(
  runId: string,
  behind: string,
  { json }: { readonly json?: true },
  { out }: Terminal,
): number {
  const event: RunEvent = { event: 'run.skipped', at: new Date(systemClock.now()).toISOString(), runId, behind }
  out.write(json ? `${JSON.stringify(event)}\n` : `skipped: its group is busy with run ${behind}\n`)
  return 0
}
