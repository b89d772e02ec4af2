import { stepRef } from '../../core/run.ts'
import { refusedDecision } from '../../runs/approval-terms.ts'
import { describeSignature } from '../../runs/describe-signed.ts'
import { runNamed } from '../run-named.ts'
import { type RunServiceFlags, settingsForRun } from '../settings-of.ts'
import { type SignFlags, signedBy, userName } from '../signed.ts'
import type { Terminal } from '../terminal.ts'
import { describeWhoActs } from '../views/describe-idle.ts'
import { waitingStep } from '../waiting-step.ts'
import { findRun, withState } from '../with-state.ts'

export interface ApproveFlags extends RunServiceFlags, SignFlags {
  readonly reject?: true
}

/** Leaves an approval or a rejection for a step that waits for it; the current or next owner of the run acts on it. */
export async function approveStep(
  run: string,
  step: string,
  { reject, ...flags }: ApproveFlags,
  terminal: Terminal,
): Promise<number> {
  const signed = signedBy(flags, terminal)
  const runId = await runNamed(run, terminal)
  return withState(terminal, async ({ runs, audit }) => {
    const row = await findRun(runs, runId)
    settingsForRun(row, flags, terminal)
    const waiting = await waitingStep(runs, row, step, 'approval')
    const decision = reject ? 'rejected' : 'approved'
    const refused = refusedDecision(step, waiting.approval ?? {}, { ...signed, account: userName(terminal.env) })
    if (refused) {
      const detail = `${step} ${decision}`
      await audit.add({ ...signed, act: 'run.decide', subject: runId, detail, outcome: refused.code })
      throw refused
    }
    const ref = stepRef(waiting)
    await runs.send(runId, { kind: 'decide', ref, decision, ...signed })
    const said = `${reject ? 'rejected' : 'approved'} ${step} of ${runId}${describeSignature(signed)}`
    terminal.out.write(`${said}; ${describeWhoActs(row, flags)}\n`)
    return 0
  })
}
