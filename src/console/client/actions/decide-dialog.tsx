import { post } from '../api/request.ts'
import type { RunDetail, Step } from '../api/types.ts'
import { useRead } from '../api/use-read.ts'
import { FigureTable } from '../pages/compare/figure-table.tsx'
import { EffectList } from '../pages/run/effect-list.tsx'
import { WhatIsAsked } from '../pages/run/what-is-asked.tsx'
import { ActDialog, type Reason } from '../ui/act-dialog.tsx'
import { Diff } from '../ui/diff.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Notice } from '../ui/notice.tsx'
import { ScrollArea } from '../ui/scroll-area.tsx'
import { Since, Time } from '../ui/time.tsx'

type DecisionName = 'approved' | 'rejected' | 'done' | 'again'

const TEXTS = {
  approved: { title: 'Approve', button: 'Approve', danger: false, said: 'Approved' },
  rejected: { title: 'Reject', button: 'Reject', danger: true, said: 'Rejected' },
  done: { title: 'It happened', button: 'Record that it happened', danger: false, said: 'Recorded as done' },
  again: { title: 'Send it again', button: 'Send again', danger: true, said: 'It is sent again' },
} as const

/** A decision about a step: what one needs to know for it, what will happen, and the reason. */
export function DecideDialog({ detail, step, decision }: { detail: RunDetail; step: Step; decision: DecisionName }) {
  const { title, button, danger, said } = TEXTS[decision]
  const { runId, pipeline } = detail.run
  const name = step.label === undefined ? step.ref : `${step.ref}, ${step.label}`
  const act = async (reason: Reason) => {
    await post('/runs/{runId}/decisions', { runId, step: step.ref, decision, ...reason })
    return `${said}: ${name} of ${pipeline}`
  }
  return (
    <ActDialog
      title={`${title}: ${name}`}
      {...{ button, danger, act }}
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
      <Consequence decision={decision} />
      {step.waitsFor === 'decision' ? <Request step={step} /> : <BesideLast detail={detail} />}
    </ActDialog>
  )
}

function Consequence({ decision }: { decision: DecisionName }) {
  if (decision === 'approved') return <p>The run goes on with the steps after it.</p>
  if (decision === 'rejected') return <p>The step fails. Steps that need it do not begin.</p>
  if (decision === 'done') return <p>The write counts as done. Nothing is sent; the run goes on.</p>
  return (
    <Notice tone="bad" icon="warning">
      If the first request did arrive, it will be there twice. Look at the service first.
    </Notice>
  )
}

function Request({ step: { request, effects } }: { step: Step }) {
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

/** The figures of a run beside those of the last good one, and what changed in the document. */
function BesideLast({ detail: { run, lastRun, outputs } }: { detail: RunDetail }) {
  const path = lastRun === undefined ? undefined : '/runs/{runId}/compare/{other}'
  const read = useRead(path, { runId: lastRun ?? '', other: run.runId })
  if (lastRun === undefined)
    return <p class="muted">There is no good run before this one{outputs ? '' : ', so nothing to compare it with'}.</p>
  return (
    <Loaded read={read}>
      {({ figures, document }) => (
        <>
          <FigureTable figures={figures} names={['Last good run', 'This run']} />
          {document.same ? (
            <p class="muted">Both ran the same document.</p>
          ) : (
            <details class="disclosure" open>
              <summary>The document changed since then</summary>
              <Diff lines={document.diff} label="From the last good run’s document to this one’s" />
            </details>
          )}
        </>
      )}
    </Loaded>
  )
}
