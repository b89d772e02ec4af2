import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'

/** A modal dialog of the browser: it keeps the focus, Esc closes it, and the focus goes back to where it was. */
export function Dialog({
  title,
  onClose,
  children,
  wide = false,
}: {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
  readonly wide?: boolean
}) {
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
    <dialog ref={dialog} class={wide ? 'wide' : undefined} aria-labelledby={heading} onClose={onClose}>
      <header class="dialog-head">
        <h2 id={heading}>{title}</h2>
        <button type="button" class="bare" aria-label="Close" onClick={() => dialog.current?.close()}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  )
}
