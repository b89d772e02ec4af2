import { go, to } from '../router/location.ts'
import { PAGES } from '../shell/pages.ts'
import { openModal } from '../ui/modal.tsx'
import { KeysDialog } from './keys-dialog.tsx'

const PREFIX_LASTS_MS = 1500

/** Handles the keys for moving between pages. No key changes anything at the server. */
export function startKeyboard(): void {
  let prefixUntil = 0
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    if (isTyping(event.target) || document.querySelector('dialog[open]')) return
    const isAfterG = event.timeStamp < prefixUntil
    prefixUntil = 0
    const page = isAfterG && PAGES.find(({ key }) => key === event.key)
    if (page) go(to(page.path))
    else if (event.key === 'g') prefixUntil = event.timeStamp + PREFIX_LASTS_MS
    else if (event.key === '?') openModal(<KeysDialog />)
    else if (event.key === '/') focusSearch()
    else if (event.key === 'j') moveInList(1)
    else if (event.key === 'k') moveInList(-1)
    else return
    event.preventDefault()
  })
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches('input:not([type=checkbox]), textarea, select, [contenteditable]')
}

/** Moves the focus to the search field of the page, or else opens the list of runs. */
function focusSearch(): void {
  const search = document.querySelector<HTMLInputElement>('input[type=search]')
  if (search) search.focus()
  else go(to('/runs', { focus: 'search' }))
}

/** Moves the focus to the next or previous row. The main link of a row has `data-row`, and Enter opens it. */
function moveInList(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')]
  const at = rows.indexOf(document.activeElement as HTMLElement)
  const next = at === -1 ? (by === 1 ? 0 : rows.length - 1) : at + by
  rows[next]?.focus()
}
