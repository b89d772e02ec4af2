import { startRun } from '../acts/start-run.ts'
import { submitDetached } from '../app/submit-detached.ts'
import { serviceOf } from '../config/service-of.ts'
import type { Settings } from '../config/settings.ts'
import type { RunRequest } from '../core/engine.ts'
import { describeService, isOfService } from '../core/service-ref.ts'
import { readDaemon } from '../daemon/lock/daemon-file.ts'
import { withReadableState } from '../state/with-readable-state.ts'
import { tellSkipped } from './follow-started.ts'
import type { AppFlags } from './settings-of.ts'
import { settingsOf } from './settings-of.ts'
import type { Terminal } from './terminal.ts'

/** Queues a run for the daemon, and says which process will work on it. */
export async function runDetached(request: RunRequest, flags: AppFlags, terminal: Terminal): Promise<number> {
  const { env, out, secrets } = terminal
  const settings = settingsOf(terminal, { profile: flags.profile })
  const submit = (asked: RunRequest) => submitDetached(asked, { settings, env, secrets })
  const { runId, state } = await startRun(request, { submit })
  if (state === 'skipped') return tellSkipped(request.runId, runId, flags, terminal)
  if (flags.json) {
    out.write(`${JSON.stringify({ event: 'run.queued', at: new Date().toISOString(), runId })}\n`)
    return 0
  }
  out.write(`run ${runId} of ${request.pipeline.name} is queued: ${await nextOf(runId, settings)}\n`)
  return 0
}

async function nextOf(runId: string, settings: Settings): Promise<string> {
  const here = serviceOf(settings)
  const resume = `audience runs resume ${runId}`
  const follow = `audience runs logs ${runId} --follow`
  const workers = await withReadableState(settings, (state) => state.workers?.())
  if (workers?.some(({ keeper }) => keeper)) return `a worker takes it; ${follow}`
  if (workers) return `a worker takes it once \`audience start\` runs; or ${resume}`
  const daemon = readDaemon(settings.state)
  if (daemon.state !== 'running') return `no process works on it before \`audience start\`, or ${resume}`
  const { info } = daemon
  if (!info || isOfService(info, here)) return `audience start works on it; ${follow}`
  return `it belongs to ${describeService(here)}, and audience start works with ${describeService(info)}, so that it stays in the queue; ${resume}`
}
