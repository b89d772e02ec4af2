import { useEffect, useRef } from 'preact/hooks'
import type { GraphStepItem } from '../api/types.ts'
import { ScrollArea } from '../ui/scroll-area.tsx'
import { statusLook } from '../ui/status.tsx'
import { layers } from './layers.ts'

const WIDTH = 132
const HEIGHT = 26
const GAP_X = 34
const GAP_Y = 8
const LETTERS = 17

interface DagStripProps {
  nodes: readonly GraphStepItem[]
  statusOf: (id: string) => string | undefined
  chosen: string | undefined
  onChoose: (id: string) => void
}

/**
 * The graph of the steps, as a picture. It works only with a pointer. That is enough, because the table below shows the
 * same and has the same actions.
 */
export function DagStrip({ nodes, statusOf, chosen, onChoose }: DagStripProps) {
  const frame = useRef<HTMLElement>(null)
  const spots = layers(nodes)
  const placeOf = (id: string) => {
    const { column, row } = spots.get(id) ?? { column: 0, row: 0 }
    return { x: 2 + column * (WIDTH + GAP_X), y: 2 + row * (HEIGHT + GAP_Y) }
  }
  const all = nodes.map(({ id }) => placeOf(id))
  useEffect(() => {
    if (frame.current && chosen !== undefined) bringIntoSight(frame.current, placeOf(chosen))
  }, [chosen])
  const width = Math.max(...all.map(({ x }) => x)) + WIDTH + 2
  const height = Math.max(...all.map(({ y }) => y)) + HEIGHT + 2
  return (
    <ScrollArea class="strip" label="Graph of the steps" frame={frame}>
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={`${nodes.length} steps and the steps that they need; the table shows the same`}
      >
        {nodes.flatMap(({ id, needs }) =>
          needs
            .filter((need) => spots.has(need))
            .map((need) => <path key={`${need} ${id}`} class="edge" d={edge(placeOf(need), placeOf(id))} />),
        )}
        {nodes.map(({ id }) => {
          const { x, y } = placeOf(id)
          const status = statusOf(id)
          const tone = status === undefined ? '' : statusLook(status).tone
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the buttons of the table below do the same.
            <g key={id} data-step={id} class={`${tone} ${id === chosen ? 'chosen' : ''}`} onClick={() => onChoose(id)}>
              <title>{status === undefined ? `${id}: not begun` : `${id}: ${statusLook(status).text}`}</title>
              <rect class="box" x={x} y={y} width={WIDTH} height={HEIGHT} rx="6" />
              <text x={x + WIDTH / 2} y={y + 17} text-anchor="middle">
                {id.length > LETTERS ? `${id.slice(0, LETTERS - 1)}…` : id}
              </text>
            </g>
          )
        })}
      </svg>
    </ScrollArea>
  )
}

/** Scrolls only this frame and not the page, and only if the step is outside the frame. */
function bringIntoSight(frame: HTMLElement, { x, y }: { x: number; y: number }): void {
  const { clientWidth, clientHeight, scrollLeft, scrollTop } = frame
  if (x < scrollLeft || x + WIDTH > scrollLeft + clientWidth) frame.scrollLeft = x - (clientWidth - WIDTH) / 2
  if (y < scrollTop || y + HEIGHT > scrollTop + clientHeight) frame.scrollTop = y - (clientHeight - HEIGHT) / 2
}

function edge(from: { x: number; y: number }, to: { x: number; y: number }): string {
  const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2]
  const half = Math.min((x2 - x1) / 2, GAP_X)
  return `M${x1} ${y1}C${x1 + half} ${y1} ${x2 - half} ${y2} ${x2} ${y2}`
}
