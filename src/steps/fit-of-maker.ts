import type { MadeThing } from '../state/made-things.ts'
import { type ActivationTarget, type Fit, fitOfActivation, targetIn } from './ownership.ts'
import { readJob } from './read-job.ts'
import type { ReconcileDeps } from './writes/reconciler.ts'

/**
 * Like `fitOfActivation`, but if the two requests name different jobs and the match of one of these jobs is unknown,
 * looks for that match: first among what this state made, then in the job.
 */
export async function fitOfMaker(
  maker: MadeThing | undefined,
  wanted: ActivationTarget,
  deps: ReconcileDeps,
): Promise<Fit> {
  const target = maker && targetIn(maker)
  const fit = fitOfActivation(target, wanted)
  if (!target || fit !== 'possible') return fit
  return fitOfActivation(await withMatch(target, deps), await withMatch(wanted, deps))
}

/** Finds a match that this state made, by its job. The job need not name the match. */
async function withMatch(target: ActivationTarget, deps: ReconcileDeps): Promise<ActivationTarget> {
  const { segmentId, matchId, matchJobId } = target
  if (matchId || matchJobId === undefined) return target
  const made = (await deps.made.named('match', segmentId)).find(({ job }) => job === matchJobId)
  return { ...target, matchId: made?.id ?? (await readJob(matchJobId, deps))?.matchId ?? null }
}
