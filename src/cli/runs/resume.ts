import { resumeWithAnswer, runToResume } from '../../acts/resume-with-answer.ts'
import type { App } from '../../app/app.ts'
import { usageError } from '../../core/errors.ts'
import { stepRef } from '../../core/run.ts'
import { readPipeline } from '../../daemon/documents/read-pipeline.ts'
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
  const actor = signedBy(flags, terminal)
  const runId = await runNamed(given, terminal)
  const { row, answer } = await withState(terminal, ({ runs }) => runToResume(runId, decision, { runs, readPipeline }))
  const resume = async (app: App) => {
    await resumeWithAnswer({ runId, answer, actor }, app)
    const decided = answer && { ref: stepRef(answer.step), earlier: answer.step.decisions.length }
    return followRun(app, runId, { ...flags, decided, isResumed: true }, terminal)
  }
  return withApp(flags, terminal, resume, { run: row })
}

function decisionOf({ step, done, again }: ResumeFlags) {
  if (step === undefined && !done && !again) return undefined
  if (step === undefined || done === again) {
    throw usageError(
      'bad-decision',
      'give --step with --done or --again',
      'check at the service whether the write happened, then give --step STEP with one of them',
    )
  }
  return { name: step, decision: done ? 'done' : 'again' } as const
}
