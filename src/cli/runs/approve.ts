import { recordDecision, stepToDecide } from '../../acts/record-decision.ts'
import { describeSignature } from '../../runs/describe-signed.ts'
import { findRun } from '../../runs/recorded-run.ts'
import { runNamed } from '../run-named.ts'
import { type RunServiceFlags, settingsForRun } from '../settings-of.ts'
import { type SignFlags, signedBy, userName } from '../signed.ts'
import type { Terminal } from '../terminal.ts'
import { describeWhoActs } from '../views/describe-idle.ts'
import { withState } from '../with-state.ts'

export interface ApproveFlags extends RunServiceFlags, SignFlags {
  readonly reject?: true
}

/** Records an approval or a rejection of a waiting step. The current or next owner of the run acts on it. */
export async function approveStep(
  run: string,
  name: string,
  { reject, ...flags }: ApproveFlags,
  terminal: Terminal,
): Promise<number> {
  const actor = signedBy(flags, terminal)
  const runId = await runNamed(run, terminal)
  return withState(terminal, async ({ runs, audit }) => {
    const row = await findRun(runs, runId)
    settingsForRun(row, flags, terminal)
    const decision = reject ? 'rejected' : 'approved'
    const step = await stepToDecide({ row, name, decision }, { runs, readPipeline })
    await recordDecision({ runId, step, decision, actor, account: userName(terminal.env) }, { runs, audit })
    const said = `${decision} ${name} of ${runId}${describeSignature(actor)}`
    terminal.out.write(`${said}; ${describeWhoActs(row, flags)}\n`)
    return 0
  })
}

/** Loaded only for a step that has not begun. */
async function readPipeline(source: { file: string; text: string }) {
  return (await import('../../daemon/documents/read-pipeline.ts')).readPipeline(source)
}
