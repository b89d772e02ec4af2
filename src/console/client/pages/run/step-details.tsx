import { formatDuration } from '../../../../core/format/duration-text.ts'
import { DecideDialog } from '../../actions/decide-dialog.tsx'
import type { GraphStepItem, RunDetail, StepItem } from '../../api/types.ts'
import { useRead } from '../../api/use-read.ts'
import { ofRun } from '../../live/changes.ts'
import { place, to } from '../../router/location.ts'
import { Standing } from '../../runs/run-cells.tsx'
import { RunLink } from '../../runs/run-link.tsx'
import { may } from '../../shell/me.ts'
import { Facts } from '../../ui/facts.tsx'
import { DialogButton } from '../../ui/modal.tsx'
import { ErrorText, Notice } from '../../ui/notice.tsx'
import { ScrollArea } from '../../ui/scroll-area.tsx'
import { Since, Time } from '../../ui/time.tsx'
import type { Choice } from './choice.ts'
import { GuardFacts } from './guard-facts.tsx'
import { StepHistory } from './step-history.tsx'
import { WhatIsAsked } from './what-is-asked.tsx'

/** Reads the chosen item or the step inside it. Steps that wait need not be read, because the run contains them. */
function useChosen({ run: { runId }, waits }: RunDetail, { step = '', index, inner }: Choice): StepItem | undefined {
  const waiting = waits.find(
    (one) => one.index === index && (one.block ?? one.step) === step && one.step === (inner ?? step),
  )
  const isRead = index !== undefined && !waiting
  const ofItem = index === undefined ? {} : inner === undefined ? { item: index } : { index }
  const input = { runId, step, ...ofItem }
  const { data } = useRead(isRead ? 'runs.steps' : undefined, input, ofRun(runId))
  return waiting ?? data?.steps.find((one) => one.index === index && one.step === (inner ?? step))
}

interface StepDetailsProps {
  detail: RunDetail
  chosen: Choice
  /** The step itself, or the forEach that contains it. */
  step: StepItem | undefined
  node: GraphStepItem | undefined
}

/** Everything about one step, one item of a forEach, or one step inside an item. */
export function StepDetails({ detail, chosen, step, node }: StepDetailsProps) {
  const found = useChosen(detail, chosen)
  const item = chosen.index === undefined ? step : found
  const id = chosen.inner ?? chosen.step ?? ''
  return (
    <aside class={item?.waitsFor === undefined ? 'details' : 'details asks'} aria-label={`Step ${id}`}>
      <div>
        <h2 class="break">
          <bdi>{chosen.index === undefined ? (node?.name ?? id) : (item?.ref ?? id)}</bdi>
        </h2>
        <div class="lead">
          {item ? <Standing of={item} /> : <span>Not begun</span>}
          {item?.label !== undefined && <bdi>{item.label}</bdi>}
          {node && <code>{node.uses}</code>}
          {node && <a href={to(place.value.path, { tab: 'document', step: id })}>line {node.line}</a>}
        </div>
      </div>
      {item && <WaitNotice detail={detail} step={item} />}
      {item?.error && item.waitsFor === undefined && (
        <Notice tone="bad" icon="cross">
          <ErrorText error={item.error} />
        </Notice>
      )}
      {item && <StepTimes step={item} />}
      {item && <StepHistory step={item} service={detail.service} />}
      {item?.guard && <GuardFacts guard={item.guard} />}
      {item?.outputs !== undefined && !item.items && <Outputs outputs={item.outputs} of={id} />}
    </aside>
  )
}

function Outputs({ outputs, of }: { outputs: unknown; of: string }) {
  return (
    <div>
      <h3>Outputs</h3>
      <ScrollArea class="code" label={`Outputs of ${of}`}>
        <pre>{typeof outputs === 'string' ? outputs : JSON.stringify(outputs, null, 2)}</pre>
      </ScrollArea>
    </div>
  )
}

function StepTimes({ step }: { step: StepItem }) {
  return (
    <Facts
      items={[
        ['Began', <Time key="began" at={step.startedAt} withZone />],
        ['Ended', step.finishedAt && <Time at={step.finishedAt} withZone />],
        ['Took', step.durationMs !== undefined ? formatDuration(step.durationMs) : <Since at={step.startedAt} />],
        ['Kept from', step.keptFrom && <RunLink runId={step.keptFrom} />],
      ]}
    />
  )
}

/** A step of a run, and what is needed for a decision about it. */
interface StepProps {
  detail: RunDetail
  step: StepItem
}

function WaitNotice({ detail, step }: StepProps) {
  if (step.waitsFor === undefined) return null
  return (
    <Notice tone="wait" icon="person">
      <div class="wait-text">
        <strong>
          {step.waitsFor === 'approval'
            ? 'This step is waiting for an approval.'
            : 'It is not known whether this write happened.'}
        </strong>
        <WhatIsAsked step={step} />
        <DecisionButtons detail={detail} step={step} />
      </div>
    </Notice>
  )
}

const CHOICES = {
  approval: [
    ['approved', 'Approve…'],
    ['rejected', 'Reject…'],
  ],
  decision: [
    ['done', 'It happened…'],
    ['again', 'Send it again…'],
  ],
} as const

/** The decisions that a step is waiting for. Each opens its dialog. */
function DecisionButtons({ detail, step }: StepProps) {
  if (step.waitsFor === undefined) return null
  if (step.mayNotDecide !== undefined || !may('approver')) return <p class="muted">{whyNot(step)}</p>
  return (
    <div class="actions">
      {CHOICES[step.waitsFor].map(([decision, text], at) => (
        <DialogButton
          key={decision}
          text={text}
          class={at === 0 ? 'primary' : undefined}
          dialog={() => <DecideDialog detail={detail} step={step} decision={decision} />}
        />
      ))}
    </div>
  )
}

function whyNot({ mayNotDecide, approval }: StepItem): string {
  if (mayNotDecide === 'own-run') return 'You had a part in starting this run, so somebody else has to decide.'
  if (mayNotDecide !== 'not-among-approvers') return 'An approver has to decide.'
  return `You are not among those who may decide: ${approval?.approvers?.join(', ')}.`
}
