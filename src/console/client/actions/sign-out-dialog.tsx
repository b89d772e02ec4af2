import { useSignal } from '@preact/signals'
import { post } from '../api/request.ts'
import { forgetSession } from '../api/session.ts'
import { emitChange } from '../live/changes.ts'
import { ActDialog } from '../ui/act-dialog.tsx'

/** Ends the session of this browser, or of all browsers of a person. */
export function SignOutDialog({ by, onClose }: { readonly by: string; readonly onClose: () => void }) {
  const everywhere = useSignal(false)
  const act = async (reason: { readonly reason?: string }) => {
    await post('/logout', { everywhere: everywhere.value, ...reason })
    forgetSession()
    return 'Signed out'
  }
  // Every page asks who it is then.
  const done = () => emitChange({ kind: 'lost' })
  return (
    <ActDialog title="Sign out" button="Sign out" {...{ act, done, onClose }}>
      <p>
        <code>audience console</code> makes a link that signs in again. Runs go on.
      </p>
      <label class="check">
        <input
          type="checkbox"
          checked={everywhere}
          onChange={({ currentTarget }) => (everywhere.value = currentTarget.checked)}
        />
        <span>
          Everywhere: every browser in which <bdi>{by}</bdi> is signed in
        </span>
      </label>
    </ActDialog>
  )
}
