import { decideStep, stepToDecide } from '../../acts/decide-step.ts'
import type { App } from '../../app/app.ts'
import { AudienceError, usageError } from '../../core/errors.ts'
import { stepRef } from '../../core/run.ts'
import { readPipeline } from '../../daemon/documents/read-pipeline.ts'
import { findRun } from '../../runs/recorded-run.ts'
import type { RunRow } from '../../state/run-history.ts'
import { followRun } from '../follow-run.ts'
import { runNamed } from '../run-named.ts'
import type { AppFlags } from '../settings-of.ts'
import { type SignFlags, signedBy } from '../signed.ts'
import type { Terminal } from '../terminal.ts'
import { withApp } from '../with-app.ts'
import { withState } from '../with-state.ts'

export interface ResumeFlags extends AppFlags, SignFlags {
  readonly step?: string
  readonly done?: true
  readonly again?: true
}

/** Resumes a run, after a decision about a step if one is given, and shows it until it ends. */
export async function resumeRun(given: string, flags: ResumeFlags, terminal: Terminal): Promise<number> {
  const decision = decisionOf(flags)
  const signed = signedBy(flags, terminal)
  const runId = await runNamed(given, terminal)
  const { run, answer } = await withState(terminal, async ({ runs }) => {
    const row = await findRun(runs, runId)
    if (row.finishedAt !== undefined) throw ended(row)
    const step = decision && (await stepToDecide({ row, ...decision }, { runs, readPipeline }))
    return { run: row, answer: step && { ...decision, step } }
  })
  const resume = async (app: App) => {
    if (answer) await decideStep({ runId, ...answer, actor: signed }, app.state)
    await app.engine.resume(runId).catch((error: unknown) => {
      // The process that is working on it has received the decision; there is nothing else to do.
      if (!decision || !(error instanceof AudienceError) || error.code !== 'run-taken-over') throw error
    })
    if (!decision) await app.state.audit.add({ ...signed, act: 'run.resume', subject: runId, outcome: 'done' })
    const decided = answer && { ref: stepRef(answer.step), earlier: answer.step.decisions.length }
    return followRun(app, runId, { ...flags, decided, isResumed: true }, terminal)
  }
  return withApp(flags, terminal, resume, { run })
}

function decisionOf({ step, done, again }: ResumeFlags) {
  if (step === undefined && !done && !again) return undefined
  if (step === undefined || done === again) {
    throw new AudienceError({
      code: 'bad-decision',
      kind: 'usage',
      message: 'give --step with --done or --again',
      hint: 'check at the service whether the write happened, then give --step STEP with one of them',
    })
  }
  return { name: step, decision: done ? 'done' : 'again' } as const
}

function ended({ runId, status }: RunRow): AudienceError {
  const hint =
    status === 'succeeded'
      ? `audience run starts a new one; audience runs retry ${runId} --from STEP repeats it from a step`
      : `start a new one that keeps what succeeded: audience runs retry ${runId}`
  return usageError('run-ended', `run ${runId} has ended: ${status}`, hint)
}
