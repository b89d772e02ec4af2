import type { GraphStep, RunDetail, Step } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { concernsRun } from '../../live/changes.ts'
import { place, to } from '../../router/location.ts'
import { RunLink } from '../../runs/run-link.tsx'
import { durationText } from '../../time/format-duration.ts'
import { Facts } from '../../ui/facts.tsx'
import { Json } from '../../ui/json.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Status } from '../../ui/status.tsx'
import { Since, Time } from '../../ui/time.tsx'
import { DecisionButtons } from './decision-buttons.tsx'
import { ErrorText } from './error-text.tsx'
import { StepHistory } from './step-history.tsx'

const MOST_ITEMS = 1000

/** All about one step, or one item of a forEach. */
export function StepDetails({
  detail,
  step,
  node,
  index,
  reload,
}: {
  readonly detail: RunDetail
  readonly step: Step | undefined
  readonly node: GraphStep | undefined
  readonly index: number | undefined
  readonly reload: () => void
}) {
  const { runId } = detail.run
  const id = step?.step ?? node?.id ?? ''
  const isItem = index !== undefined
  const items = useRead(isItem ? '/runs/{runId}/steps' : undefined, { runId, step: id, limit: MOST_ITEMS }, (change) =>
    concernsRun(change, runId),
  )
  const item = isItem
    ? (detail.waits.find((one) => one.step === id && one.index === index) ??
      items.data?.steps.find((one) => one.index === index))
    : step
  const { query } = place.value
  return (
    <aside class="details" aria-label={`Step ${id}`}>
      <div>
        <h2 class="break">
          <bdi>{isItem ? `${id} · ${item?.label ?? `item ${index + 1}`}` : (node?.name ?? id)}</bdi>
        </h2>
        <div class="lead">
          {item ? <Status status={item.status} /> : <span>Not begun</span>}
          {node && <code>{node.uses}</code>}
          {node && (
            <a href={to(place.value.path, { tab: 'document', step: id, index: query.get('index') ?? undefined })}>
              line {node.line}
            </a>
          )}
        </div>
      </div>
      {item && <WaitNotice detail={detail} step={item} reload={reload} />}
      {item?.error && item.waitsFor === undefined && (
        <Notice tone="bad" icon="cross">
          <ErrorText error={item.error} />
        </Notice>
      )}
      {item && <StepTimes step={item} />}
      {item && <StepHistory step={item} />}
      {item?.outputs !== undefined && !item.items && (
        <div>
          <h3>Outputs</h3>
          <Json value={item.outputs} label={`Outputs of ${id}`} />
        </div>
      )}
    </aside>
  )
}

function StepTimes({ step }: { readonly step: Step }) {
  return (
    <Facts
      items={[
        ['Began', <Time key="began" at={step.startedAt} withZone />],
        ['Ended', step.finishedAt && <Time at={step.finishedAt} withZone />],
        ['Took', step.durationMs !== undefined ? durationText(step.durationMs) : <Since at={step.startedAt} />],
        ['Kept from', step.keptFrom && <RunLink runId={step.keptFrom} />],
      ]}
    />
  )
}

function WaitNotice({
  detail,
  step,
  reload,
}: {
  readonly detail: RunDetail
  readonly step: Step
  readonly reload: () => void
}) {
  if (step.waitsFor === undefined) return null
  return (
    <Notice tone="wait" icon="person">
      <div class="wait-text">
        <strong>
          {step.waitsFor === 'approval'
            ? 'This step waits for an approval.'
            : 'It is not known whether this write happened.'}
        </strong>
        <WhatIsAsked step={step} />
        <DecisionButtons detail={detail} step={step} reload={reload} />
      </div>
    </Notice>
  )
}

/** The question of an approval; of a write in doubt, all that is known about it. Buttons do here what a hint says for terminals. */
function WhatIsAsked({ step: { waitsFor, error } }: { readonly step: Step }) {
  if (!error) return null
  return waitsFor === 'approval' ? <p>{String(error.message ?? '')}</p> : <ErrorText error={error} />
}
