import { post } from '../api/request.ts'
import type { RunDetail, Step } from '../api/types.ts'
import { EffectList } from '../pages/run/effect-list.tsx'
import { WhatIsAsked } from '../pages/run/what-is-asked.tsx'
import { ActDialog } from '../ui/act-dialog.tsx'
import { Notice } from '../ui/notice.tsx'
import { ScrollArea } from '../ui/scroll-area.tsx'
import { Since, Time } from '../ui/time.tsx'
import type { ActProps } from './act-props.ts'
import { BesideLast } from './beside-last.tsx'

type DecisionName = 'approved' | 'rejected' | 'done' | 'again'

const TEXTS = {
  approved: { title: 'Approve', button: 'Approve', danger: false, said: 'Approved' },
  rejected: { title: 'Reject', button: 'Reject', danger: true, said: 'Rejected' },
  done: { title: 'It happened', button: 'Record that it happened', danger: false, said: 'Recorded as done' },
  again: { title: 'Send it again', button: 'Send again', danger: true, said: 'It is sent again' },
} as const

/** A decision about a step: what one needs to know for it, what will happen, and the reason. */
export function DecideDialog({
  detail,
  step,
  decision,
  done,
  onClose,
}: ActProps & {
  readonly detail: RunDetail
  readonly step: Step
  readonly decision: DecisionName
}) {
  const { title, button, danger, said } = TEXTS[decision]
  const { runId, pipeline } = detail.run
  const name = step.label === undefined ? step.ref : `${step.ref}, ${step.label}`
  const act = async (reason: { readonly reason?: string }) => {
    await post('/runs/{runId}/decisions', { runId, step: step.ref, decision, ...reason })
    return `${said}: ${name} of ${pipeline}`
  }
  return (
    <ActDialog
      title={`${title}: ${name}`}
      {...{ button, danger, act, done, onClose }}
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

function Consequence({ decision }: { readonly decision: DecisionName }) {
  if (decision === 'approved') return <p>The run goes on with the steps after it.</p>
  if (decision === 'rejected') return <p>The step fails. Steps that need it do not begin.</p>
  if (decision === 'done') return <p>The write counts as done. Nothing is sent; the run goes on.</p>
  return (
    <Notice tone="bad" icon="warning">
      If the first request did arrive, it will be there twice. Look at the service first.
    </Notice>
  )
}

function Request({ step: { request, effects } }: { readonly step: Step }) {
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
