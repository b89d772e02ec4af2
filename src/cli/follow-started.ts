import type { Submission } from '../core/engine.ts'
import { type FollowFlags, followRun, type RunView } from './follow-run.ts'
import { tellSkipped } from './tell-skipped.ts'
import type { Terminal } from './terminal.ts'

/** Shows a requested run to its end. A skipped run is not a failure. */
export async function followStarted(
  app: RunView,
  { asked, runId, state }: Pick<Submission, 'runId' | 'state'> & { readonly asked: string },
  flags: FollowFlags,
  terminal: Terminal,
): Promise<number> {
  return state === 'skipped' ? tellSkipped(asked, runId, flags, terminal) : followRun(app, runId, flags, terminal)
}
