import { signal } from '@preact/signals'
import type { VNode } from 'preact'
import { place } from '../router/location.ts'

const open = signal<{ readonly path: string; readonly dialog: (onClose: () => void) => VNode } | undefined>(undefined)

/** Opens a dialog that stays when what opened it goes away: another person may decide meanwhile. It belongs to its page. */
export function openModal(dialog: (onClose: () => void) => VNode): void {
  open.value = { path: place.peek().path, dialog }
}

export function Modal() {
  const { value } = open
  if (!value || value.path !== place.value.path) return null
  return value.dialog(() => {
    open.value = undefined
  })
}
