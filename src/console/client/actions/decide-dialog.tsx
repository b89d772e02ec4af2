import { post } from '../api/request.ts'
import type { RunDetail, StepItem } from '../api/types.ts'
import { useRead } from '../api/use-read.ts'
import { valueText } from '../format/value-text.ts'
import { FigureTable, InputTable } from '../pages/compare/compare-tables.tsx'
import { EffectList } from '../pages/run/step-history.tsx'
import { WhatIsAsked } from '../pages/run/what-is-asked.tsx'
import { ActDialog, type Reason } from '../ui/act-dialog.tsx'
import { Diff } from '../ui/diff.tsx'
import { Facts } from '../ui/facts.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Notice } from '../ui/notice.tsx'
import { ScrollArea } from '../ui/scroll-area.tsx'
import { Since, Time } from '../ui/time.tsx'

const TEXTS = {
  approved: { title: 'Approve', button: 'Approve', danger: false, said: 'Approved' },
  rejected: { title: 'Reject', button: 'Reject', danger: true, said: 'Rejected' },
  done: { title: 'It happened', button: 'Record that it happened', danger: false, said: 'Recorded as done' },
  again: { title: 'Send it again', button: 'Send again', danger: true, said: 'Will be sent again' },
} as const
type DecisionName = keyof typeof TEXTS

/** The dialog for deciding about a step. It shows the facts for the decision and its effects, and asks for a reason. */
export function DecideDialog({
  detail,
  step,
  decision,
}: {
  detail: RunDetail
  step: StepItem
  decision: DecisionName
}) {
  const { title, button, danger, said } = TEXTS[decision]
  const { runId, pipeline } = detail.run
  const after = detail.waits.find(({ ref }) => ref === step.ref)?.followedBy ?? []
  const name = step.label === undefined ? step.ref : `${step.ref}, ${step.label}`
  const act = async (reason: Reason) => {
    await post('runs.decide', { runId, step: step.ref, decision, ...reason })
    return `${said}: ${name} of ${pipeline}`
  }
  return (
    <ActDialog
      title={`${title}: ${name}`}
      button={button}
      danger={danger}
      act={act}
      wide
      needsReason={step.approval?.needsComment ?? false}
    >
      <p>
        <strong>
          <bdi>{pipeline}</bdi>
        </strong>{' '}
        has waited at this step for <Since at={step.attempts.at(-1)?.startedAt ?? step.startedAt} />.
      </p>
      <WhatIsAsked step={step} />
      <Consequence decision={decision} after={after} />
      {step.waitsFor === 'decision' ? <Request step={step} /> : <BesideLast detail={detail} />}
    </ActDialog>
  )
}

function Consequence({ decision, after }: { decision: DecisionName; after: readonly string[] }) {
  if (decision === 'approved' || decision === 'rejected')
    return (
      <div>
        <p>
          {decision === 'approved'
            ? 'The run continues with the steps after it.'
            : 'The step fails. Steps that need it do not begin.'}
        </p>
        {after.length === 0 ? (
          <p class="muted">No step comes after it.</p>
        ) : (
          <ol class="chips" aria-label="Steps after it">
            {after.map((id) => (
              <li key={id} class="chip">
                <bdi>{id}</bdi>
              </li>
            ))}
          </ol>
        )}
      </div>
    )
  if (decision === 'done') return <p>The write counts as done. Nothing is sent, and the run continues.</p>
  return (
    <Notice tone="bad" icon="warning">
      If the first request did arrive, it will take effect twice. Check at the service first.
    </Notice>
  )
}

function Request({ step: { request, effects } }: { step: StepItem }) {
  return (
    <div>
      {request && (
        <>
          <h3>The request</h3>
          <p>
            <code class="break">
              {request.method} {request.path}
            </code>{' '}
            <span class="muted">
              recorded <Time at={request.at} withZone />, right before it was sent
            </span>
          </p>
          {request.body !== undefined && (
            <ScrollArea class="code" label="Body of the request">
              <pre>{request.body}</pre>
            </ScrollArea>
          )}
        </>
      )}
      <h3>What was recorded before</h3>
      <ul class="history">
        <EffectList effects={effects} />
      </ul>
    </div>
  )
}

const BESIDE = ['Last good run', 'This run'] as const

/** Compares the inputs, figures and document of a run with those of the last good run. */
function BesideLast({ detail: { run, lastGood, inputs } }: { detail: RunDetail }) {
  const id = lastGood === undefined ? undefined : 'runs.compare'
  const read = useRead(id, { runId: lastGood ?? '', other: run.runId })
  if (lastGood === undefined)
    return (
      <>
        <h3>Inputs</h3>
        <Facts
          items={Object.entries(inputs).map(([name, value]) => [name, <bdi key={name}>{valueText(value)}</bdi>])}
        />
        <p class="muted">There is no earlier good run to compare this one with.</p>
      </>
    )
  return (
    <Loaded read={read}>
      {(found) => (
        <>
          <h3>Inputs</h3>
          <InputTable compared={found} names={BESIDE} />
          <h3>Figures</h3>
          <FigureTable compared={found} names={BESIDE} />
          {found.document.same ? (
            <p class="muted">Both used the same document.</p>
          ) : (
            <details class="disclosure" open>
              <summary>The document has changed since then</summary>
              <Diff lines={found.document.diff} label="From the last good run’s document to this one’s" />
            </details>
          )}
        </>
      )}
    </Loaded>
  )
}
