import { formatShortDuration } from '../../../core/format/duration-text.ts'
import { formatNumber } from '../../../core/format/figures.ts'
import type { FigureSeries, RunItem } from '../api/types.ts'
import { words } from '../format/words.ts'
import { standingOf } from '../runs/standing-of.ts'

export type Point = FigureSeries['points'][number]

/** The data of a chart that shows a number for each run. */
export interface RunChartData {
  readonly title: string
  readonly points: readonly Point[]
  /** A value as people read it. `axisText` is shorter. */
  readonly text: (value: number) => string
  readonly axisText: (value: number) => string
  /** The meaning of the band, if there is one. */
  readonly bandText?: string
  /** Which points are marked, and what the mark means. */
  readonly marked: { readonly text: string; readonly isMarked: (point: Point) => boolean }
}

/** The name of a series for people: `match count of match`, `guard: outputs.matchCount of match`. */
export function seriesTitle({ name, step }: Pick<FigureSeries, 'name' | 'step'>): string {
  return `${name.startsWith('guard: ') ? name : words(name)} of ${step}`
}

/** The chart of a number that a step outputs, or of the values that its guard measured. */
export function figureChart(series: FigureSeries): RunChartData {
  const isGuard = series.points.some(({ verdict }) => verdict !== undefined)
  const isOutside = ({ value, expected }: Point) =>
    expected !== undefined && (value < expected.low || value > expected.high)
  return {
    ...{ title: seriesTitle(series), points: series.points, text: formatNumber, axisText: shortNumberText },
    bandText: isGuard
      ? 'what the guard let pass'
      : 'expected: the median of up to 14 earlier good runs, ± 3 deviations or 20 %',
    marked: isGuard
      ? { text: 'held, failed or warned about', isMarked: ({ verdict }) => verdict !== 'good' }
      : { text: 'outside this range', isMarked: isOutside },
  }
}

const short = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 })

/** A short number for axes, such as `5.2K`. */
function shortNumberText(value: number): string {
  return Math.abs(value) < 10_000 ? formatNumber(value) : short.format(value)
}

const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
  ['ms', 1],
]

/** The chart of how long runs took, oldest first. Runs that have not ended are left out. */
export function durationChart(runs: readonly RunItem[]): RunChartData {
  const ended = runs.filter(({ ranMs, finishedAt }) => ranMs !== undefined && finishedAt !== undefined)
  const longest = Math.max(0, ...ended.map(({ ranMs = 0 }) => ranMs))
  const [unit, unitMs] = UNITS.find(([, ms]) => longest >= 2 * ms) ?? ['ms', 1]
  const points = ended.toReversed().map(({ runId, submittedAt, triggerLabel, ranMs = 0, ...run }) => ({
    ...{ runId, at: submittedAt, status: standingOf(run).status, value: ranMs / unitMs },
    label: triggerLabel || undefined,
  }))
  return {
    ...{ title: 'ran for', points },
    text: (value) => formatShortDuration(value * unitMs),
    axisText: (value) => `${shortNumberText(value)} ${unit}`,
    marked: { text: 'failed, cancelled or succeeded in part', isMarked: ({ status }) => status !== 'succeeded' },
  }
}
