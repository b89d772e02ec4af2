import { formatDuration } from '../../../../core/format/duration-text.ts'
import type { GraphStepItem, RunDetail, StepItem } from '../../api/types.ts'
import { timeScale } from '../../charts/scales.ts'
import { now } from '../../time/now.ts'
import { Head, Table } from '../../ui/table.tsx'
import type { Choice } from './choice.ts'
import { ItemRows } from './item-rows.tsx'
import { StepRow } from './step-row.tsx'

interface TimelineProps {
  detail: RunDetail
  steps: readonly StepItem[]
  graph: readonly GraphStepItem[]
  chosen: Choice
  onChoose: (choice: Choice) => void
}

/** The steps as a table. A row shows how a step went, how long it took, and when. */
export function StepTimeline({ detail, steps, graph, chosen, onChoose }: TimelineProps) {
  const { run } = detail
  const from = Date.parse(run.beganAt ?? run.submittedAt)
  const to = run.finishedAt === undefined ? now.value : Date.parse(run.finishedAt)
  const scale = timeScale(
    { from, to },
    steps.flatMap((step) => waitOf(step, to)),
  )
  const shown = { runId: run.runId, scale, chosen, onChoose }
  const begun = new Set(steps.map(({ step }) => step))
  const pending =
    run.finishedAt === undefined ? graph.filter(({ id, section }) => !begun.has(id) && section === 'steps') : []
  const head = (
    <>
      <Head>Step</Head>
      <Head>Status</Head>
      <Head right>Took</Head>
      <Head>
        When
        {scale.folds.length > 0 && (
          <small class="folded">
            {scale.folds.map((fold) => formatDuration(fold.to - fold.from)).join(' and ')} of waiting folded
          </small>
        )}
      </Head>
    </>
  )
  return (
    <Table label="Steps" head={head} dense>
      {steps.flatMap((step) => [
        <StepRow key={step.step} step={step} shown={shown} />,
        step.items && chosen.step === step.step && <ItemRows key={`${step.step} items`} step={step} shown={shown} />,
      ])}
      {pending.map(({ id }) => (
        <tr key={id} class={chosen.step === id ? 'chosen' : undefined}>
          <td class="name">
            <button type="button" class="link" data-row onClick={() => onChoose({ step: id })}>
              {id}
            </button>
          </td>
          <td class="muted">Not begun</td>
          <td />
          <td />
        </tr>
      ))}
    </Table>
  )
}

/** When a step waited for a person. */
function waitOf(step: StepItem, now: number): readonly { readonly from: number; readonly to: number }[] {
  const decided = step.decisions.at(-1)
  if (step.waitsFor === undefined && !decided) return []
  const from = Date.parse(step.attempts.at(-1)?.startedAt ?? step.startedAt)
  return [{ from, to: decided && step.waitsFor === undefined ? Date.parse(decided.at) : now }]
}
