import { AudienceError } from '../../core/errors.ts'
import { type RunServiceFlags, settingsForRun } from '../settings-of.ts'
import type { Terminal } from '../terminal.ts'
import { parseStepRef, waitingStep } from '../waiting-step.ts'
import { findRun, withHistory } from '../with-history.ts'

export interface ApproveFlags extends RunServiceFlags {
  readonly reject?: true
}

/** Leaves an approval or a rejection for a step that waits for it; the current or next owner of the run acts on it. */
export function approveStep(
  runId: string,
  step: string,
  { reject, ...flags }: ApproveFlags,
  terminal: Terminal,
): Promise<number> {
  return withHistory(terminal, async (journal) => {
    const row = findRun(journal, runId)
    settingsForRun(row, flags, terminal)
    const ref = parseStepRef(step)
    if (waitingStep(journal, runId, ref) !== 'approval') {
      throw new AudienceError({
        code: 'not-waiting',
        kind: 'usage',
        message: `step "${step}" of run ${runId} does not wait for an approval`,
        hint: `\`audience runs show ${runId}\` tells what it does`,
      })
    }
    await journal.send(runId, { kind: 'decide', ref, decision: reject ? 'rejected' : 'approved' })
    const next = row.owner ? `${row.owner} goes on with it` : `go on with it: audience runs resume ${runId}`
    terminal.out.write(`${reject ? 'rejected' : 'approved'} ${step} of ${runId}; ${next}\n`)
    return 0
  })
}
