import { signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { place } from '../router/location.ts'

type ModalDialog = (onClose: () => void) => VNode

const open = signal<{ readonly path: string; readonly dialog: ModalDialog } | undefined>(undefined)

/** Opens a dialog that stays when what opened it goes away: another person may decide meanwhile. It belongs to its page. */
export function openModal(dialog: ModalDialog): void {
  open.value = { path: place.peek().path, dialog }
}

function close(): void {
  open.value = undefined
}

export function Modal() {
  const { path } = place.value
  // A page that is left and opened again has no dialog. At once: later it would close what the next page has opened.
  useLayoutEffect(() => close, [path])
  return open.value?.path === path ? open.value.dialog(close) : null
}
