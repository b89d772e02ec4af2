import { formatNumber } from '../../../../core/format/figures.ts'
import type { StepItem } from '../../api/types.ts'
import type { TimeScale } from '../../charts/scales.ts'
import { Standing, Took } from '../../runs/run-cells.tsx'
import { standingOf } from '../../runs/standing-of.ts'
import { clockText, zoneOffsetText } from '../../time/format-time.ts'
import { now } from '../../time/now.ts'
import { zone } from '../../time/zone.ts'
import { statusLook } from '../../ui/status.tsx'
import { Since } from '../../ui/time.tsx'
import { type Choice, choiceOf } from './choice.ts'

/** The data that the rows of a run share. */
export interface RowsShown {
  runId: string
  scale: TimeScale
  chosen: Choice
  onChoose: (choice: Choice) => void
}

/** A step, or an item of a forEach, as a row. */
export function StepRow({ step, shown: { scale, chosen, onChoose } }: { step: StepItem; shown: RowsShown }) {
  const own = choiceOf(step)
  const isChosen = own.step === chosen.step && own.index === chosen.index && own.inner === chosen.inner
  const { index, block } = step
  const depth = index === undefined ? '' : block === undefined ? 'child' : 'grandchild'
  const name = index === undefined || block !== undefined ? step.step : (step.label ?? step.key ?? `item ${index + 1}`)
  const retries = step.attempts.length - 1
  return (
    <tr class={`step-row ${isChosen ? 'chosen' : ''} ${depth}`}>
      <td class="name">
        <button type="button" class="link" data-row aria-pressed={isChosen} onClick={() => onChoose(own)}>
          <bdi>{name}</bdi>
        </button>
        {step.keptFrom !== undefined && <span class="chip">kept</span>}
        {retries > 0 && <span class="chip">{step.attempts.length} attempts</span>}
        {step.items && <ItemCounts items={step.items} />}
        {step.blocked && (
          <span class="under">
            waits for step {step.blocked.step} of {step.blocked.runId}
          </span>
        )}
      </td>
      <td>
        <Standing of={step} short />
      </td>
      <td class="right">
        {step.keptFrom !== undefined ? (
          <span class="muted">–</span>
        ) : step.durationMs !== undefined ? (
          <Took ms={step.durationMs} />
        ) : (
          <Since at={step.startedAt} />
        )}
      </td>
      <td class="bar-cell">{step.keptFrom === undefined && <Bar step={step} scale={scale} />}</td>
    </tr>
  )
}

function ItemCounts({
  items: { total, succeeded, failed, waiting, running },
}: {
  items: NonNullable<StepItem['items']>
}) {
  const parts = [
    failed > 0 && `${formatNumber(failed)} failed`,
    waiting > 0 && `${formatNumber(waiting)} waiting`,
    running > 0 && `${formatNumber(running)} running`,
    `${formatNumber(succeeded)} of ${formatNumber(total)} done`,
  ]
  return <span class="under">{parts.filter(Boolean).join(' · ')}</span>
}

function Bar({ step, scale }: { step: StepItem; scale: TimeScale }) {
  const from = Date.parse(step.startedAt)
  const to = step.finishedAt === undefined ? now.value : Date.parse(step.finishedAt)
  const left = Math.min(scale.at(from), 99)
  // A bar is at least 4 px wide, even at the end of the track.
  const inside = `min(${left}%, 100% - 4px)`
  const width = Math.min(Math.max(scale.at(to) - scale.at(from), 0.5), 100 - left)
  const text = `${clockText(from, zone.value)} to ${step.finishedAt === undefined ? 'now' : clockText(to, zone.value)} ${zoneOffsetText(from, zone.value)}`
  return (
    <div class="track" title={text}>
      {scale.folds.map((fold) => (
        <span key={fold.from} class="fold" style={{ left: `${fold.left}%`, width: `${fold.width}%` }} />
      ))}
      <span class={`bar ${statusLook(standingOf(step).status).tone}`} style={{ left: inside, width: `${width}%` }} />
      <span class="hidden">{text}</span>
    </div>
  )
}
