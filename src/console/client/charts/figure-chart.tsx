import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Series } from '../api/types.ts'
import { numberText, shortNumberText } from '../format/numbers.ts'
import { words } from '../format/words.ts'
import { runAddress } from '../runs/run-link.tsx'
import { clockText, dayOf, dayText, timeText } from '../time/format-time.ts'
import { zone } from '../time/zone.ts'
import { bandPath, linePath } from './chart-paths.ts'
import { niceScale } from './nice-scale.ts'

const HEIGHT = 190
const LEFT = 52
const RIGHT = 12
const TOP = 8
const BOTTOM = 24

/** A number run by run, over the band in which it was expected. Each point is a link to its run. */
export function FigureChart({ series: { name, step, points } }: { readonly series: Series }) {
  const frame = useRef<HTMLDivElement>(null)
  const width = useSignal(640)
  useEffect(() => {
    if (!frame.current) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry) width.value = Math.max(260, entry.contentRect.width)
    })
    observer.observe(frame.current)
    return () => observer.disconnect()
  }, [])
  const scale = niceScale(
    points.flatMap(({ value, expected }) => (expected ? [value, expected.high, expected.low] : [value])),
  )
  const gap = (width.value - LEFT - RIGHT) / Math.max(1, points.length - 1)
  const x = (index: number) => (points.length === 1 ? (width.value + LEFT) / 2 : LEFT + index * gap)
  const y = (value: number) => TOP + ((scale.high - value) / (scale.high - scale.low)) * (HEIGHT - TOP - BOTTOM)
  const every = Math.max(1, Math.ceil(80 / gap))
  return (
    <div class="figure-chart" ref={frame}>
      {/* biome-ignore lint/a11y/useSemanticElements: fieldset is for forms. */}
      <svg role="group" aria-label={`${words(name)} of ${step}, run by run`} viewBox={`0 0 ${width.value} ${HEIGHT}`}>
        {scale.ticks.map((tick) => (
          <g key={tick}>
            <line class="grid" x1={LEFT} x2={width.value - RIGHT} y1={y(tick)} y2={y(tick)} />
            <text x={LEFT - 8} y={y(tick) + 4} text-anchor="end">
              {shortNumberText(tick)}
            </text>
          </g>
        ))}
        <path
          class="band"
          d={bandPath(
            points.map(({ expected }, at) => expected && { x: x(at), low: y(expected.low), high: y(expected.high) }),
          )}
        />
        <path
          class="median"
          d={linePath(points.map(({ expected }, at) => expected && { x: x(at), y: y(expected.median) }))}
        />
        <path class="line" d={linePath(points.map(({ value }, at) => ({ x: x(at), y: y(value) })))} />
        {points.map((point, at) => (
          <Point key={point.runId} point={point} x={x(at)} y={y(point.value)} />
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
        <span class="accent-text">{words(name)}</span>
        <span class="band-text">expected: the median of the 14 good runs before, ± 3 deviations or 20 %</span>
        <span class="bad">outside of that</span>
      </p>
    </div>
  )
}

function anchor(at: number, count: number): 'start' | 'middle' | 'end' {
  if (at === 0 && count > 1) return 'start'
  return at === count - 1 && count > 1 ? 'end' : 'middle'
}

/** The day, or the time where the label before has the same day. */
function label(at: string, before: string | undefined): string {
  const day = dayOf(Date.parse(at), zone.value)
  const isSameDay = before !== undefined && dayOf(Date.parse(before), zone.value) === day
  return isSameDay ? clockText(Date.parse(at), zone.value).slice(0, 5) : dayText(day).slice(4)
}

function Point({
  point: { runId, at, status, value, expected, label },
  x,
  y,
}: {
  readonly point: Series['points'][number]
  readonly x: number
  readonly y: number
}) {
  const isOutside = expected !== undefined && (value < expected.low || value > expected.high)
  const when = label !== undefined && label !== '' ? label : timeText(Date.parse(at), zone.value, Date.now())
  const range = expected ? `, expected ${numberText(expected.low)} to ${numberText(expected.high)}` : ''
  const text = `${numberText(value)}, ${when}, ${status}${range}${isOutside ? ', outside' : ''}`
  return (
    <a href={runAddress(runId)} aria-label={text}>
      <title>{text}</title>
      <circle class="hit" cx={x} cy={y} r="11" />
      <circle class={isOutside ? 'point outside' : 'point'} cx={x} cy={y} r="3.2" />
    </a>
  )
}
