import { signal } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'
import { emitChange } from '../live/changes.ts'
import { place } from '../router/location.ts'
import { Icon } from './icon.tsx'

interface Open {
  /** The path of the page that the dialog belongs to. */
  path: string
  dialog: VNode
}

const open = signal<Open | undefined>(undefined)

/** Opens a dialog. It stays open even if its button disappears, because another person may decide in the meantime. */
export function openModal(dialog: VNode): void {
  open.value = { path: place.peek().path, dialog }
}

/** Closes the dialog. If its action was performed, everything that the page shows is read again. */
export function closeModal({ isDone = false } = {}): void {
  if (isDone) emitChange({ kind: 'acted' })
  open.value = undefined
}

export function Modal() {
  const { path } = place.value
  // Closes the dialog when somebody leaves the page, so that the page has no dialog when it is opened again. This
  // happens immediately, because a later close would affect a dialog of the next page.
  useLayoutEffect(() => closeModal, [path])
  return open.value?.path === path ? open.value.dialog : null
}

interface DialogProps {
  title: string
  children: ComponentChildren
  wide?: boolean
}

/** A modal browser dialog. It keeps the focus, and Esc closes it. Then the focus returns to where it was. */
export function Dialog({ title, children, wide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <dialog ref={dialog} class={wide ? 'wide' : undefined} aria-labelledby={heading} onClose={() => closeModal()}>
      <header class="dialog-head">
        <h2 id={heading} class="break">
          {title}
        </h2>
        <button type="button" class="bare" aria-label="Close" onClick={() => dialog.current?.close()}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  )
}

export interface DialogButtonProps {
  /** The text of the button, such as `Pause…`. */
  text: string
  /** The subject of the dialog, for screen readers. */
  about?: ComponentChildren
  class?: string | undefined
  dialog: () => VNode
}

/** A button that opens a dialog. */
export function DialogButton({ text, about, class: className, dialog }: DialogButtonProps) {
  return (
    <button type="button" class={className} onClick={() => openModal(dialog())}>
      {text}
      {about !== undefined && <span class="hidden"> {about}</span>}
    </button>
  )
}
