import type { RunRequest } from '../core/engine.ts'
import { AudienceError } from '../core/errors.ts'
import { groupBusy } from '../runs/run-groups.ts'
import { type FollowFlags, followRun, type RunView } from './follow-run.ts'
import { tellSkipped } from './tell-skipped.ts'
import type { Terminal } from './terminal.ts'

/**
 * Starts a run and shows it to its end. Throws `group-busy` if a group refuses it, and `already-retried` if the run
 * that it retries was retried before. A skipped run is not a failure.
 */
export async function submitAndFollow(
  app: RunView,
  request: RunRequest,
  flags: FollowFlags,
  terminal: Terminal,
): Promise<number> {
  const { pipeline } = request
  const { runId, state } = await app.engine.submit(request)
  if (state === 'refused') throw groupBusy(pipeline.name, runId)
  if (state === 'existing' && request.seed) throw alreadyRetried(request.seed.runId, runId)
  if (state === 'skipped') return tellSkipped(request.runId, runId, flags, terminal)
  return followRun(app, runId, flags, terminal)
}

function alreadyRetried(earlierId: string, retryId: string): AudienceError {
  return new AudienceError({
    code: 'already-retried',
    kind: 'usage',
    message: `run ${earlierId} was retried already, as run ${retryId}; nothing was done`,
    hint: `look at that run with \`audience runs show ${retryId}\`, and resume or retry it`,
  })
}
