import { formatNumber, formatShare } from '../../core/format/figures.ts'
import type { Band } from '../../core/guard.ts'
import { type Guard, type Pipeline, withoutBlocks } from '../../core/pipeline.ts'
import type { RunHistory } from '../../state/run-history.ts'
import { LEAST_SHARE } from './band.ts'
import { learnable, learnFrom, learningSteps } from './learn.ts'

/** What the guard of a step would use now. */
export interface GuardPlan {
  readonly of: string
  readonly onBreach: Guard['onBreach']
  /**
   * One entry for the step, or one for each item of its forEach; empty if the guard does not learn, or has no values
   * yet.
   */
  readonly learned: readonly {
    readonly item?: string
    /** Absent while there are too few values. */
    readonly band?: Band
    /** The values that a person approved, newest first. Values near one of them pass, too. */
    readonly approved?: readonly number[]
    /** The values of the good runs, newest first. */
    readonly values: readonly number[]
  }[]
  /** How many values it needs before it judges; absent if it does not learn. */
  readonly warmUp?: number
}

/** What the guards of a pipeline would use now, by step. */
export async function planGuards(
  { name, steps }: Pick<Pipeline, 'name' | 'steps'>,
  history: Pick<RunHistory, 'guardValues'>,
): Promise<ReadonlyMap<string, GuardPlan>> {
  const plans = new Map<string, GuardPlan>()
  const all = withoutBlocks(steps)
  for (const { id, guard } of all) if (guard) plans.set(id, { ...whatOf(guard), learned: [] })
  for (const step of learningSteps(all)) {
    const values = await history.guardValues(learnable({ name }, step))
    const learned = learnFrom(values, step).bands.map(({ item, band, approved }) => ({
      item,
      band,
      approved,
      values: values.filter((one) => one.item === item).map(({ value }) => value),
    }))
    plans.set(step.id, { ...whatOf(step.guard), learned, warmUp: step.guard.learn.warmUp })
  }
  return plans
}

function whatOf({ of, onBreach }: Guard): Pick<GuardPlan, 'of' | 'onBreach'> {
  return { of: of.source.trim(), onBreach }
}

const ON_BREACH = { approve: 'a person must approve', fail: 'the step fails', warn: 'people are warned' } as const
/** How many items and values are shown to people; `--json` has all. */
const MOST_ITEMS = 5
const MOST_VALUES = 5

/** What the guard would use, one line for each item. */
export function describeGuardPlan({ of, onBreach, learned, warmUp }: GuardPlan): readonly string[] {
  const otherwise = `otherwise ${ON_BREACH[onBreach]}`
  if (warmUp === undefined) return [`guard ${of}: within its limits, ${otherwise}`]
  if (learned.length === 0) return [`guard ${of}: ${noValues(warmUp)}`]
  const shown = learned.slice(0, MOST_ITEMS).map((one) => {
    const label = `guard ${one.item === undefined ? of : `of ${one.item}`}`
    const { band, approved, values } = one
    if (values.length === 0) return `${label}: ${noValues(warmUp)}`
    const range = band ? `${passes(band, approved)}, ${otherwise}` : `learning, ${values.length} of ${warmUp} values`
    return `${label}: ${range}; last values ${listed(values)}`
  })
  return learned.length > MOST_ITEMS ? [...shown, `the guards of all ${learned.length} items: see --json`] : shown
}

function noValues(warmUp: number): string {
  return `no values yet; it judges once it has ${warmUp}`
}

function passes({ low, high }: Band, approved: readonly number[] = []): string {
  const near = listed(approved)
  return `${formatNumber(low)} to ${formatNumber(high)}${near && ` or within ${formatShare(LEAST_SHARE)} of an approved value (${near})`}`
}

function listed(values: readonly number[]): string {
  return values.slice(0, MOST_VALUES).map(formatNumber).join(', ')
}
