import type { App } from '../../app/app.ts'
import { AudienceError } from '../../core/errors.ts'
import { followRun } from '../follow-run.ts'
import type { Terminal } from '../terminal.ts'
import { decisionsAbout, parseStepRef, waitingStep } from '../waiting-step.ts'
import { type AppFlags, withApp } from '../with-app.ts'
import { findRun, withHistory } from '../with-history.ts'

export interface ResumeFlags extends AppFlags {
  readonly step?: string
  readonly done?: true
  readonly again?: true
}

/** Resumes a run, after a decision about a step if one is given, and shows it until it ends. */
export async function resumeRun(runId: string, flags: ResumeFlags, terminal: Terminal): Promise<number> {
  const decision = decisionOf(flags)
  const { run, earlier } = await withHistory(terminal, (journal) => {
    const row = findRun(journal, runId)
    if (row.finishedAt !== undefined) throw ended(runId, row.status)
    if (decision && waitingStep(journal, runId, decision.ref) !== 'decision') throw notInDoubt(runId, flags.step ?? '')
    return { run: row, earlier: decision ? decisionsAbout(journal, runId, decision.ref) : 0 }
  })
  const resume = async (app: App) => {
    if (decision) await app.engine.decide(runId, decision.ref, decision.decision)
    await app.engine.resume(runId).catch((error: unknown) => {
      // The process that works on it has received the decision; there is nothing else to do.
      if (!decision || !(error instanceof AudienceError) || error.code !== 'run-taken-over') throw error
    })
    return followRun(app, runId, { ...flags, ...(decision && { decided: { ref: decision.ref, earlier } }) }, terminal)
  }
  return withApp(flags, terminal, resume, { run })
}

function decisionOf({ step, done, again }: ResumeFlags) {
  if (step === undefined && !done && !again) return undefined
  if (step === undefined || done === again) {
    throw new AudienceError({
      code: 'bad-decision',
      kind: 'usage',
      message: 'a decision names the step, and either --done or --again',
      hint: 'look at the service whether the write happened, then give --step STEP with one of them',
    })
  }
  return { ref: parseStepRef(step), decision: done ? 'done' : 'again' } as const
}

function ended(runId: string, status: string): AudienceError {
  return new AudienceError({
    code: 'run-ended',
    kind: 'usage',
    message: `run ${runId} has ended: ${status}`,
    hint: `start a new one from what it did: audience runs retry ${runId}`,
  })
}

function notInDoubt(runId: string, step: string): AudienceError {
  return new AudienceError({
    code: 'not-waiting',
    kind: 'usage',
    message: `step "${step}" of run ${runId} does not wait for a decision`,
    hint: `\`audience runs show ${runId}\` tells what it does`,
  })
}
