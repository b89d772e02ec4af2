import type { App } from '../app.ts'
import type { RunRequest } from '../core/engine.ts'
import { groupBusy } from '../engine/run-groups.ts'
import { type FollowFlags, followRun } from './follow-run.ts'
import type { Terminal } from './terminal.ts'

/** Starts a run and shows it to its end. Throws `group-busy` where a group does not let it in. */
export async function submitAndFollow(
  app: App,
  request: RunRequest,
  flags: FollowFlags,
  terminal: Terminal,
): Promise<number> {
  const { pipeline } = request
  const git = await app.gitVersionOf(pipeline)
  const { runId, state } = await app.engine.submit({ ...request, ...(git && { git }) })
  if (state === 'skipped' || state === 'refused') throw groupBusy(pipeline.name, runId)
  return followRun(app, runId, flags, terminal)
}
