import { axisUnit, formatShortDuration } from '../../../core/format/duration-text.ts'
import { formatNumber, formatShortNumber } from '../../../core/format/figures.ts'
import type { FigureSeries, RunItem } from '../api/types.ts'
import { words } from '../format/words.ts'
import { standingOf } from '../runs/standing-of.ts'

export type Point = FigureSeries['points'][number]

/** The data of a chart that shows a number for each run. */
export interface RunChartData {
  readonly title: string
  readonly points: readonly Point[]
  /** Makes the text of a value. `axisText` makes a shorter text, for the axis. */
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
    title: seriesTitle(series),
    points: series.points,
    text: formatNumber,
    axisText: formatShortNumber,
    bandText: isGuard
      ? 'the range that the guard accepted'
      : 'expected: the median of up to 14 earlier good runs, ± 3 deviations or 20 %',
    marked: isGuard
      ? { text: 'held, failed or warned about', isMarked: ({ verdict }) => verdict !== 'good' }
      : { text: 'outside this range', isMarked: isOutside },
  }
}

/** The chart of how long runs took, oldest first. Runs that have not ended are left out. */
export function durationChart(runs: readonly RunItem[]): RunChartData {
  const ended = runs.filter(({ ranMs, finishedAt }) => ranMs !== undefined && finishedAt !== undefined)
  const longest = Math.max(0, ...ended.map(({ ranMs = 0 }) => ranMs))
  const { unit, unitMs } = axisUnit(longest)
  const points = ended.toReversed().map(({ runId, submittedAt, triggerLabel, ranMs = 0, ...run }) => ({
    runId,
    at: submittedAt,
    status: standingOf(run).status,
    value: ranMs / unitMs,
    label: triggerLabel || undefined,
  }))
  return {
    title: 'ran for',
    points,
    text: (value) => formatShortDuration(value * unitMs),
    axisText: (value) => `${formatShortNumber(value)} ${unit}`,
    marked: { text: 'failed, cancelled or succeeded in part', isMarked: ({ status }) => status !== 'succeeded' },
  }
}
