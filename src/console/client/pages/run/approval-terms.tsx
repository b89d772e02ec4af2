import type { Step } from '../../api/types.ts'
import { Time } from '../../ui/time.tsx'

/** Who may decide about a step, who may not, and until when. */
export function ApprovalTerms({ step: { approval } }: { readonly step: Step }) {
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
          Not <bdi>{notBy.join(' or ')}</bdi>: who had a part in starting the run may not decide.
        </p>
      )}
      {waitsUntil !== undefined && (
        <p class="muted">
          Without a decision it fails: <Time at={waitsUntil} withZone />.
        </p>
      )}
    </>
  )
}
