import { startRun } from '../acts/start-run.ts'
import { submitDetached } from '../app/submit-detached.ts'
import type { RunRequest } from '../core/engine.ts'
import { isoTime } from '../core/iso-time.ts'
import type { AppFlags } from './settings-of.ts'
import { settingsOf } from './settings-of.ts'
import { tellSkipped } from './tell-skipped.ts'
import type { Terminal } from './terminal.ts'
import { whoGoesOn } from './who-goes-on.ts'

/** Queues a run for the daemon, and says which process will work on it. */
export async function runDetached(request: RunRequest, flags: AppFlags, terminal: Terminal): Promise<number> {
  const { env, out, secrets, surroundings } = terminal
  const settings = settingsOf(terminal, { profile: flags.profile })
  const submit = (asked: RunRequest) => submitDetached(asked, { settings, env, secrets, surroundings })
  const { runId, state } = await startRun({ ...request, via: 'detached' }, { submit })
  if (state === 'skipped') return tellSkipped(request.runId, runId, flags, terminal)
  if (flags.json) {
    out.write(`${JSON.stringify({ event: 'run.queued', at: isoTime(surroundings.clock.now()), runId })}\n`)
    return 0
  }
  const { text } = await whoGoesOn(runId, settings, surroundings)
  out.write(`run ${runId} of ${request.pipeline.name} is queued: ${text}\n`)
  return 0
}
