import { DecideDialog } from '../../actions/decide-dialog.tsx'
import type { RunDetail, Step } from '../../api/types.ts'
import { may, me } from '../../shell/me.ts'
import { openModal } from '../../ui/modal.tsx'
import { whyNotMe } from './why-not-me.ts'

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

/** A step of a run, for what people decide about it. */
export interface StepProps {
  readonly detail: RunDetail
  readonly step: Step
  readonly reload: () => void
}

/** The decisions that a step waits for. Each opens its dialog. */
export function DecisionButtons({ detail, step, reload }: StepProps) {
  if (step.waitsFor === undefined) return null
  const why = me.value && whyNotMe(step, me.value)
  if (why !== undefined || !may('approver')) return <p class="muted">{why ?? 'An approver has to decide.'}</p>
  return (
    <div class="actions">
      {CHOICES[step.waitsFor].map(([decision, text], at) => (
        <button
          key={decision}
          type="button"
          class={at === 0 ? 'primary' : undefined}
          onClick={() =>
            openModal((onClose) => <DecideDialog {...{ detail, step, decision, onClose }} done={reload} />)
          }
        >
          {text}
        </button>
      ))}
    </div>
  )
}
