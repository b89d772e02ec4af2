import { loadSettings } from '../config/load-settings.ts'
import type { RunRequest } from '../core/engine.ts'
import { createSecrets } from '../core/secrets.ts'
import { readDaemon } from '../daemon/lock/daemon-file.ts'
import { groupBusy } from '../engine/run-groups.ts'
import { submitDetached } from '../submit-detached.ts'
import { tellSkipped } from './tell-skipped.ts'
import type { Terminal } from './terminal.ts'
import type { AppFlags } from './with-app.ts'

/** Queues a run for the daemon, and says who will work on it. */
export async function runDetached(request: RunRequest, flags: AppFlags, terminal: Terminal): Promise<number> {
  const { env, cwd, out } = terminal
  const settings = loadSettings({ env, cwd, flags: flags.profile === undefined ? {} : { profile: flags.profile } })
  const { runId, state } = await submitDetached(request, { settings, env, secrets: createSecrets() })
  if (state === 'refused') throw groupBusy(request.pipeline.name, runId)
  if (state === 'skipped') return tellSkipped(request.runId, runId, flags, terminal)
  const isRunning = readDaemon(settings.state).state === 'running'
  if (flags.json) {
    out.write(`${JSON.stringify({ event: 'run.queued', at: new Date().toISOString(), runId })}\n`)
    return 0
  }
  const next = isRunning
    ? `audience start works on it; audience runs logs ${runId} --follow`
    : `nobody works on it before \`audience start\`, or audience runs resume ${runId}`
  out.write(`run ${runId} of ${request.pipeline.name} is queued: ${next}\n`)
  return 0
}
