import type { Submission } from '../core/engine.ts'
import { type FollowFlags, followRun, type RunView } from './follow-run.ts'
import { tellSkipped } from './tell-skipped.ts'
import type { Terminal } from './terminal.ts'

/** Shows a run that was asked for to its end. That it was skipped is not a failure. */
export async function followStarted(
  app: RunView,
  { asked, runId, state }: Pick<Submission, 'runId' | 'state'> & { readonly asked: string },
  flags: FollowFlags,
  terminal: Terminal,
): Promise<number> {
  return state === 'skipped' ? tellSkipped(asked, runId, flags, terminal) : followRun(app, runId, flags, terminal)
}
