import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { asCallError, type CallError } from '../api/call-error.ts'
import { ReasonField } from './fields.tsx'
import { closeModal, Dialog, DialogButton, type DialogButtonProps } from './modal.tsx'
import { ProblemNotice } from './notice.tsx'
import { toast } from './toasts.tsx'

/** The reason for an action, in the form that the API expects. */
export interface Reason {
  readonly reason?: string
}

interface ActDialogProps {
  title: string
  button: string
  danger?: boolean
  /** Performs the action with the given reason. Resolves with the message to show afterwards. */
  act: (reason: Reason) => Promise<string>
  children: ComponentChildren
  ready?: boolean
  wide?: boolean
  needsReason?: boolean
}

/**
 * A dialog for one action. It shows what will happen, asks for a reason, and has the button. It reports success only
 * after the server has reported it. If the server refuses the action, the dialog stays open and says why.
 */
export function ActDialog({
  title,
  button,
  danger = false,
  act,
  children,
  ready = true,
  wide = false,
  needsReason = false,
}: ActDialogProps) {
  const reason = useSignal('')
  const isBusy = useSignal(false)
  const error = useSignal<CallError | undefined>(undefined)
  const submit = async (event: Event) => {
    event.preventDefault()
    if (isBusy.value || !ready) return
    isBusy.value = true
    error.value = undefined
    try {
      toast(await act({ reason: reason.value.trim() || undefined }))
      closeModal({ isDone: true })
    } catch (failure) {
      error.value = asCallError(failure)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <Dialog title={title} wide={wide}>
      <form onSubmit={submit}>
        <div class="dialog-body">
          {children}
          <ReasonField value={reason} required={needsReason} />
          {error.value && <ProblemNotice error={error.value} />}
        </div>
        <footer class="dialog-foot">
          <button type="button" onClick={() => closeModal()}>
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

type ActButtonProps = ActDialogProps & Partial<Pick<DialogButtonProps, 'text' | 'about'>>

/**
 * A button that opens the dialog of an action. By default, it has the same text as the button in the dialog. A dialog
 * that has fields of its own needs a `DialogButton`.
 */
export function ActButton({ text, about, ...dialog }: ActButtonProps) {
  return <DialogButton text={text ?? `${dialog.button}…`} about={about} dialog={() => <ActDialog {...dialog} />} />
}
