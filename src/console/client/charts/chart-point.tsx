import type { Series } from '../api/types.ts'
import { runAddress } from '../runs/run-link.tsx'
import { timeText } from '../time/format-time.ts'
import { zone } from '../time/zone.ts'
import type { RunChartData } from './run-chart-data.ts'

/** One run of a chart: a link whose name says all about the point. */
export function ChartPoint({
  data: { text, marked },
  point,
  x,
  y,
}: {
  readonly data: RunChartData
  readonly point: Series['points'][number]
  readonly x: number
  readonly y: number
}) {
  const { runId, at, status, value, expected, label, verdict } = point
  const isMarked = marked.isMarked(point)
  const when = label ?? timeText(Date.parse(at), zone.value, Date.now())
  const range = expected && `expected ${text(expected.low)} to ${text(expected.high)}`
  const name = [text(value), when, status, range, verdict ?? (isMarked && marked.text)].filter(Boolean).join(', ')
  return (
    <a href={runAddress(runId)} aria-label={name}>
      <title>{name}</title>
      <circle class="hit" cx={x} cy={y} r="11" />
      <circle class={isMarked ? 'point marked' : 'point'} cx={x} cy={y} r="3.2" />
    </a>
  )
}
