import { DecideDialog } from '../../actions/decide-dialog.tsx'
import type { RunDetail, Step } from '../../api/types.ts'
import { may } from '../../shell/me.ts'
import { DialogButton } from '../../ui/modal.tsx'

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

/** A step of a run, and what is needed for a decision about it. */
export interface StepProps {
  detail: RunDetail
  step: Step
  reload: () => void
}

/** The decisions that a step is waiting for. Each opens its dialog. */
export function DecisionButtons({ detail, step, reload }: StepProps) {
  if (step.waitsFor === undefined) return null
  if (step.mayNotDecide !== undefined || !may('approver')) return <p class="muted">{whyNot(step)}</p>
  const after = detail.waits.find(({ ref }) => ref === step.ref)?.followedBy ?? []
  return (
    <div class="actions">
      {CHOICES[step.waitsFor].map(([decision, text], at) => (
        <DialogButton
          key={decision}
          text={text}
          class={at === 0 ? 'primary' : undefined}
          dialog={() => <DecideDialog {...{ detail, step, decision }} after={after} />}
          done={reload}
        />
      ))}
    </div>
  )
}

function whyNot({ mayNotDecide, approval }: Step): string {
  if (mayNotDecide === 'own-run') return 'You had a part in starting this run, so somebody else has to decide.'
  if (mayNotDecide !== 'not-among-approvers') return 'An approver has to decide.'
  return `You are not among those who may decide: ${approval?.approvers?.join(', ')}.`
}
