import { cancelRun, runToCancel } from '../../acts/cancel-run.ts'
import type { App } from '../../app/app.ts'
import { EXIT_CODES } from '../../core/errors.ts'
import { stepKey } from '../../core/run.ts'
import { readPipeline } from '../../daemon/documents/read-pipeline.ts'
import { followRun } from '../follow-run.ts'
import { runNamed } from '../run-named.ts'
import type { AppFlags } from '../settings-of.ts'
import { type SignFlags, signedBy } from '../signed.ts'
import type { Terminal } from '../terminal.ts'
import { withApp } from '../with-app.ts'
import { withState } from '../with-state.ts'

export interface CancelFlags extends AppFlags, SignFlags {}

/** Cancels a run: through its owner if it has one, otherwise in this process. Says what continues at the service. */
export async function cancelRunCommand(given: string, flags: CancelFlags, terminal: Terminal): Promise<number> {
  const { out, surroundings } = terminal
  const signed = signedBy(flags, terminal)
  const runId = await runNamed(given, terminal)
  const { row: run, jobs } = await withState(terminal, (state) => runToCancel(runId, state))
  const cancel = async (app: App) => {
    const since = surroundings.clock.now()
    const cancelled = await cancelRun(runId, signed, {
      ...surroundings,
      engine: app.engine,
      runs: app.state.runs,
      readPipeline,
    })
    if (cancelled.state === 'ended') {
      out.write(`${cancelled.status} ${runId}\n`)
      return cancelled.status === 'cancelled' ? 0 : EXIT_CODES.failed
    }
    if (cancelled.state === 'cleansUp')
      out.write(`run ${runId} is cancelled; its steps under finally continue: audience runs watch ${runId}\n`)
    for (const { runId: of, commands, ...ref } of cancelled.asked)
      out.write(`run ${of}, step ${stepKey(ref)}, waits for a person: ${commands.join(', or ')}\n`)
    if (cancelled.state === 'cleansUp') return 0
    return followRun(app, runId, { ...flags, since, doubtOnlyOf: cancelled.finallySteps }, terminal)
  }
  const exitCode = await withApp(flags, terminal, cancel, { run, mayLackToken: true })
  for (const job of jobs) out.write(`job ${job} continues at the service; it cannot be stopped there\n`)
  // A run that ended as cancelled is the expected result.
  return exitCode === 1 ? 0 : exitCode
}
