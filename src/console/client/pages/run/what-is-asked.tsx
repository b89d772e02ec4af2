import type { StepItem } from '../../api/types.ts'
import { ErrorText } from '../../ui/notice.tsx'
import { Time } from '../../ui/time.tsx'

/**
 * The subject of a decision. For an approval, shows the question and its terms. For a write in doubt, shows everything
 * that is known about it. Leaves out the commands of a hint, because the page has buttons for them.
 */
export function WhatIsAsked({ step }: { step: StepItem }) {
  const { waitsFor, error } = step
  return (
    <>
      {error && (waitsFor === 'approval' ? <p>{String(error.message ?? '')}</p> : <ErrorText error={error} />)}
      <ApprovalTerms step={step} />
    </>
  )
}

/** Who may decide about a step, who may not, and until when. */
function ApprovalTerms({ step: { approval } }: { step: StepItem }) {
  if (!approval) return null
  const { approvers, notBy, waitsUntil } = approval
  return (
    <>
      {approvers && (
        <p class="muted">
          Only <bdi>{approvers.join(' or ')}</bdi> may decide.
        </p>
      )}
      {notBy && (
        <p class="muted">
          Not <bdi>{notBy.join(' or ')}</bdi>: nobody who had a part in starting the run may decide.
        </p>
      )}
      {waitsUntil !== undefined && (
        <p class="muted">
          Without a decision, it fails at <Time at={waitsUntil} withZone />.
        </p>
      )}
    </>
  )
}
