import { count, formatNumber } from '../../core/format/figures.ts'
import type { Band, Breach, LearnedGuard } from '../../core/guard.ts'
import type { Measured, StepRef } from '../../core/run.ts'
import { learnedAbout } from './learn.ts'

/** What the guard of a step measured, for people and programs. */
export interface GuardDescription extends Pick<Measured, 'value' | 'verdict' | 'breach'> {
  /** The range of the values of good runs; absent while the guard has too few of them. */
  readonly band?: Band
  /** The good runs that it learned from, newest first. */
  readonly learnedFrom?: readonly string[]
}

/** A measured value, with the limits that the guard used. */
export function guardDescription(
  { step, item, value, verdict, breach }: StepRef & Measured,
  guards: readonly LearnedGuard[] | undefined,
): GuardDescription {
  const { band, runs } = learnedAbout(guards, { step, item }) ?? {}
  return { value, verdict, breach, band, learnedFrom: runs }
}

/** The guard in a few words: `guard 3,185, within 2,548 to 3,822`. */
export function describeGuard({ value, breach, band, learnedFrom = [] }: GuardDescription): string {
  const guard = `guard ${formatNumber(value)}`
  if (breach && breach.limit !== 'band')
    return `${guard}, ${breach.limit === 'min' ? 'less' : 'more'} than ${formatNumber(breach.at)}`
  if (band) return `${guard}, ${place(value, band, breach)} ${formatNumber(band.low)} to ${formatNumber(band.high)}`
  return learnedFrom.length > 0 ? `${guard}, still learning (${count(learnedFrom.length, 'value')})` : guard
}

function place(value: number, { low, high }: Band, breach: Breach | undefined): string {
  if (breach) return 'outside'
  return value >= low && value <= high ? 'within' : 'near an approved value, outside'
}
