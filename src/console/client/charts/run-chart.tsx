import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { RunLink, runAddress } from '../runs/run-link.tsx'
import { clockText, dayOf, dayText } from '../time/format-time.ts'
import { zone } from '../time/zone.ts'
import { Status } from '../ui/status.tsx'
import { type Column, InZone, Rows } from '../ui/table.tsx'
import { shownTime, Time } from '../ui/time.tsx'
import { bandPath, linePath } from './chart-paths.ts'
import type { Point, RunChartData } from './run-chart-data.ts'
import { niceScale } from './scales.ts'

const HEIGHT = 190
const LEFT = 58
const RIGHT = 12
const TOP = 8
const BOTTOM = 24

/**
 * A chart of a number, run by run, with the expected band behind it. Each point links to its run. A table shows the
 * same numbers.
 */
export function RunChart({ data }: { data: RunChartData }) {
  const { title, points, bandText, marked } = data
  const frame = useRef<HTMLDivElement>(null)
  const width = useWidth(frame)
  const scale = niceScale(
    points.flatMap(({ value, expected }) => (expected ? [value, expected.high, expected.low] : [value])),
  )
  const gap = (width - LEFT - RIGHT) / Math.max(1, points.length - 1)
  const x = (index: number) => (points.length === 1 ? (width + LEFT) / 2 : LEFT + index * gap)
  const y = (value: number) => TOP + ((scale.high - value) / (scale.high - scale.low)) * (HEIGHT - TOP - BOTTOM)
  const every = Math.max(1, Math.ceil(80 / gap))
  const bands = points.map(({ expected }, at) => expected && { x: x(at), low: y(expected.low), high: y(expected.high) })
  return (
    <div class="run-chart" ref={frame}>
      {/* biome-ignore lint/a11y/useSemanticElements: fieldset is for forms. */}
      <svg role="group" aria-label={`${title}, run by run`} viewBox={`0 0 ${width} ${HEIGHT}`}>
        {scale.ticks.map((tick) => (
          <g key={tick}>
            <line class="grid" x1={LEFT} x2={width - RIGHT} y1={y(tick)} y2={y(tick)} />
            <text x={LEFT - 8} y={y(tick) + 4} text-anchor="end">
              {data.axisText(tick)}
            </text>
          </g>
        ))}
        <path class="band" d={bandPath(bands)} />
        <path
          class="median"
          d={linePath(points.map(({ expected }, at) => expected && { x: x(at), y: y(expected.median) }))}
        />
        <path class="line" d={linePath(points.map(({ value }, at) => ({ x: x(at), y: y(value) })))} />
        {points.map((point, at) => (
          <ChartPoint key={point.runId} data={data} point={point} x={x(at)} y={y(point.value)} />
        ))}
        {points.map(
          (point, at) =>
            at % every === 0 && (
              <text key={point.runId} x={x(at)} y={HEIGHT - 6} text-anchor={anchor(at, points.length)}>
                {label(point.at, points[at - every]?.at)}
              </text>
            ),
        )}
      </svg>
      <p class="legend">
        <span class="accent-text">{title}</span>
        {bandText !== undefined && <span class="band-text">{bandText}</span>}
        {points.some(marked.isMarked) && <span class="bad">{marked.text}</span>}
      </p>
      <ChartTable data={data} />
    </div>
  )
}

function useWidth(frame: { current: HTMLElement | null }): number {
  const width = useSignal(640)
  useEffect(() => {
    if (!frame.current) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry) width.value = Math.max(260, entry.contentRect.width)
    })
    observer.observe(frame.current)
    return () => observer.disconnect()
  }, [])
  return width.value
}

function anchor(at: number, count: number): 'start' | 'middle' | 'end' {
  if (at === 0 && count > 1) return 'start'
  return at === count - 1 && count > 1 ? 'end' : 'middle'
}

/** The day, or the time if the previous label has the same day. */
function label(at: string, before: string | undefined): string {
  const day = dayOf(Date.parse(at), zone.value)
  const isSameDay = before !== undefined && dayOf(Date.parse(before), zone.value) === day
  return isSameDay ? clockText(Date.parse(at), zone.value).slice(0, 5) : dayText(day).slice(4)
}

interface ChartPointProps {
  data: RunChartData
  point: Point
  x: number
  y: number
}

/** One run in a chart: a link whose name says everything about the point. */
function ChartPoint({ data: { text, marked }, point, x, y }: ChartPointProps) {
  const { runId, at, status, value, expected, label, verdict } = point
  const isMarked = marked.isMarked(point)
  const when = label ?? shownTime(at)
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

/** The numbers of a chart as a table, newest first. The table is made when somebody opens it. */
function ChartTable({ data: { title, points, text, bandText, marked } }: { data: RunChartData }) {
  const isOpen = useSignal(false)
  const expected: Column<Point> = [
    'Expected',
    ({ expected }) => (expected ? `${text(expected.low)} to ${text(expected.high)}` : '–'),
    'right figure',
  ]
  const columns: readonly Column<Point>[] = [
    ['Run', ({ runId }) => <RunLink runId={runId} />],
    [<InZone text="Submitted" />, ({ at }) => <Time at={at} />],
    ['Status', ({ status }) => <Status status={status} short />],
    [title, ({ value }) => text(value), 'right figure'],
    ...(bandText === undefined ? [] : [expected]),
    ['Note', (point) => point.verdict ?? (marked.isMarked(point) ? marked.text : '')],
  ]
  return (
    <details class="disclosure" onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen.value && (
        <Rows
          label={`${title}, run by run`}
          rows={points.toReversed()}
          columns={columns}
          keyOf={({ runId }) => runId}
          dense
        />
      )}
    </details>
  )
}
