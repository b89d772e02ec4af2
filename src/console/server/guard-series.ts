import { type Guard, type Pipeline, withoutBlocks } from '../../core/pipeline.ts'
import { bandOf } from '../../runs/guards/band.ts'
import { measureOf } from '../../runs/guards/learn.ts'
import type { RunHistory } from '../../state/run-history.ts'

/** The values of a number, run by run, with the band that applied to each value. */
export interface BandedSeries {
  readonly step: string
  readonly name: string
  /** The values, oldest first. */
  readonly values: readonly {
    readonly runId: string
    readonly value: number
    readonly expected?: NonNullable<ReturnType<typeof bandOf>>
    /** The verdict, if a guard measured the value. */
    readonly verdict?: string
  }[]
}

/** What each guard measured, oldest first, with the band that it had learned by then. Guards of items are left out. */
export function guardSeries(
  { name: pipeline, steps }: Pick<Pipeline, 'name' | 'steps'>,
  { history, shown }: { history: Pick<RunHistory, 'guardValues'>; shown: number },
): Promise<BandedSeries[]> {
  const guarded = withoutBlocks(steps).flatMap(({ id, guard }) => (guard ? [{ id, guard }] : []))
  return Promise.all(
    guarded.map(async ({ id: step, guard }) => {
      const before = guard.learn === false ? 0 : guard.learn.runs
      const ofStep = { pipeline, step, limit: shown + before }
      const [all, good] = await Promise.all([
        history.guardValues(ofStep),
        history.guardValues({ ...ofStep, goodOf: measureOf(guard) }),
      ])
      const isGood = new Set(good.map(({ runId }) => runId))
      const learned: number[] = []
      const values = all.toReversed().flatMap(({ runId, item, value, verdict }) => {
        if (item !== undefined) return []
        const expected = learnedBand(guard, learned)
        if (isGood.has(runId)) learned.push(value)
        return [{ runId, value, verdict, expected }]
      })
      return { step, name: `guard: ${guard.of.source.trim()}`, values }
    }),
  )
}

function learnedBand({ learn }: Guard, learned: readonly number[]): ReturnType<typeof bandOf> {
  return learn === false || learned.length < learn.warmUp ? undefined : bandOf(learned.slice(-learn.runs))
}
