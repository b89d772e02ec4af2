import type { Engine, RunRequest, Submission } from '../core/engine.ts'
import { groupBusy } from '../runs/run-groups.ts'

/** The outcome of a request; `skipped` and `existing` name the run that prevents another one. */
export interface Started extends Omit<Submission, 'state'> {
  readonly state: Exclude<Submission['state'], 'refused'>
}

/** Starts a run, or queues it. Throws `group-busy` if a group refuses it. */
export async function startRun(request: RunRequest, engine: Pick<Engine, 'submit'>): Promise<Started> {
  const { state, ...submission } = await engine.submit(request)
  if (state === 'refused') throw groupBusy(request.pipeline.name, submission.runId)
  return { ...submission, state }
}
