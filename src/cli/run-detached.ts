import { submitDetached } from '../app/submit-detached.ts'
import { serviceOf } from '../config/service-of.ts'
import type { RunRequest } from '../core/engine.ts'
import { createSecrets } from '../core/secrets.ts'
import { describeService, isOfService, type ServiceRef } from '../core/service-ref.ts'
import { type DaemonState, readDaemon } from '../daemon/lock/daemon-file.ts'
import { groupBusy } from '../runs/run-groups.ts'
import type { AppFlags } from './settings-of.ts'
import { settingsOf } from './settings-of.ts'
import { tellSkipped } from './tell-skipped.ts'
import type { Terminal } from './terminal.ts'

/** Queues a run for the daemon, and says which process will work on it. */
export async function runDetached(request: RunRequest, flags: AppFlags, terminal: Terminal): Promise<number> {
  const { env, out } = terminal
  const settings = settingsOf(terminal, { profile: flags.profile })
  const { runId, state } = await submitDetached(request, { settings, env, secrets: createSecrets() })
  if (state === 'refused') throw groupBusy(request.pipeline.name, runId)
  if (state === 'skipped') return tellSkipped(request.runId, runId, flags, terminal)
  const daemon = readDaemon(settings.state)
  if (flags.json) {
    out.write(`${JSON.stringify({ event: 'run.queued', at: new Date().toISOString(), runId })}\n`)
    return 0
  }
  out.write(`run ${runId} of ${request.pipeline.name} is queued: ${nextOf(runId, daemon, serviceOf(settings))}\n`)
  return 0
}

function nextOf(runId: string, daemon: DaemonState, here: ServiceRef): string {
  const resume = `audience runs resume ${runId}`
  if (daemon.state !== 'running') return `no process works on it before \`audience start\`, or ${resume}`
  const { info } = daemon
  if (!info || isOfService(info, here)) return `audience start works on it; audience runs logs ${runId} --follow`
  return `it belongs to ${describeService(here)}, and audience start works with ${describeService(info)}, so that it stays in the queue; ${resume}`
}
