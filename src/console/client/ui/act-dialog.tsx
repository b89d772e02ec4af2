import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { type ApiError, asApiError } from '../api/api-error.ts'
import { Dialog } from './dialog.tsx'
import { Problem } from './notice.tsx'
import { toast } from './toasts.tsx'

/**
 * A dialog that does one thing: what will happen, a reason, and the button. It shows success only after the server said
 * so, and stays open with the reason of a refusal.
 */
export function ActDialog({
  title,
  button,
  danger = false,
  act,
  done,
  onClose,
  children,
  ready = true,
  wide = false,
  needsReason = false,
}: {
  readonly title: string
  readonly button: string
  readonly danger?: boolean
  /** Does it, with the reason that was given. Resolves with what to say afterwards. */
  readonly act: (reason: { readonly reason?: string }) => Promise<string>
  readonly done?: () => void
  readonly onClose: () => void
  readonly children: ComponentChildren
  readonly ready?: boolean
  readonly wide?: boolean
  readonly needsReason?: boolean
}) {
  const reason = useSignal('')
  const isBusy = useSignal(false)
  const error = useSignal<ApiError | undefined>(undefined)
  const submit = async (event: Event) => {
    event.preventDefault()
    if (isBusy.value || !ready) return
    isBusy.value = true
    error.value = undefined
    try {
      const text = reason.value.trim()
      toast(await act(text === '' ? {} : { reason: text }))
      done?.()
      onClose()
    } catch (failure) {
      error.value = asApiError(failure)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <Dialog title={title} onClose={onClose} wide={wide}>
      <form onSubmit={submit}>
        <div class="dialog-body">
          {children}
          <label class="field">
            Reason, for the audit log
            <input
              value={reason}
              maxLength={1000}
              placeholder={needsReason ? 'required' : 'optional'}
              required={needsReason}
              onInput={({ currentTarget }) => {
                reason.value = currentTarget.value
              }}
            />
          </label>
          {error.value && <Problem error={error.value} />}
        </div>
        <footer class="dialog-foot">
          <button type="button" onClick={onClose}>
            Close
          </button>
          <button type="submit" class={danger ? 'danger' : 'primary'} aria-disabled={isBusy.value || !ready}>
            {isBusy.value ? 'One moment…' : button}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}
