import type { GuardValue, LearnedBand, LearnedGuard } from '../../core/guard.ts'
import type { Guard, Pipeline, Step } from '../../core/pipeline.ts'
import { sha256 } from '../../core/sha256.ts'
import type { GuardFilter } from '../../state/run-history.ts'
import { bandOf } from './band.ts'

/** Steps with a guard that learns. */
type LearningStep = Step & { readonly guard: Guard & { readonly learn: Exclude<Guard['learn'], false> } }

export function learningSteps(steps: readonly Step[]): LearningStep[] {
  return steps.filter((step): step is LearningStep => step.guard !== undefined && step.guard.learn !== false)
}

/**
 * Identifies what a guard measures. A guard that measures something else has nothing to learn from earlier values. The
 * result does not depend on the item.
 */
export function measureOf({ of }: Pick<Guard, 'of'>): string {
  return sha256(of.source.trim()).slice(0, 12)
}

/** Which values a guard learns from. */
export function learnable({ name }: Pick<Pipeline, 'name'>, { id, guard }: LearningStep): GuardFilter {
  return { pipeline: name, step: id, goodOf: measureOf(guard), limit: guard.learn.runs }
}

/** What a guard learns from the values of good runs, the newest first; at most `learn.runs` for each item. */
export function learnFrom(values: readonly GuardValue[], { id, guard }: LearningStep): LearnedGuard {
  const runs = [...new Set(values.map(({ runId }) => runId))]
  const places = new Map(runs.map((runId, place) => [runId, place]))
  const byItem = Map.groupBy(values, ({ item }) => item)
  const bands = [...byItem].map(([item, own]): LearnedBand => {
    const band = own.length < guard.learn.warmUp ? undefined : bandOf(own.map(({ value }) => value))
    const approved = own.filter(({ verdict }) => verdict === 'approved').map(({ value }) => value)
    return {
      item,
      of: own.length < runs.length ? own.flatMap(({ runId }) => places.get(runId) ?? []) : undefined,
      band,
      approved: approved.length > 0 ? approved : undefined,
    }
  })
  return { step: id, runs, bands }
}

/** What was learned about a step, or about one of its items, and the runs from which it was learned. */
export function learnedAbout(
  guards: readonly LearnedGuard[] | undefined,
  { step, item }: { step: string; item?: string | undefined },
): (LearnedBand & { readonly runs: readonly string[] }) | undefined {
  const guard = guards?.find((one) => one.step === step)
  const band = guard?.bands.find((one) => one.item === item)
  if (!guard || !band) return undefined
  return { ...band, runs: band.of ? band.of.flatMap((place) => guard.runs[place] ?? []) : guard.runs }
}
