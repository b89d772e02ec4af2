import { signal } from '@preact/signals'
import { queryText, type UrlFields } from '../api/url.ts'
import { BASE_PATH } from '../base-path.ts'

export interface Address {
  /** The path below the base path, with a slash at the beginning: `/runs`. */
  readonly path: string
  readonly query: URLSearchParams
}

/** The address of the current page. It decides what the page shows. */
export const place = signal<Address>(currentPlace())

/** Makes the address of a page, for `href`. */
export function to(path: string, query: UrlFields = {}): string {
  return BASE_PATH + path.slice(1) + queryText(query)
}

/** Goes to an address that `to` has made. With `replace`, the back button does not return to the current page. */
export function go(address: string, { replace = false }: { replace?: boolean } = {}): void {
  if (replace) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
  place.value = currentPlace()
}

/** The address of this page with parts of its query changed. An empty value removes a part. */
export function withQuery(changes: UrlFields): string {
  const { path, query } = place.value
  const kept = Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)]))
  return to(path, { ...kept, ...changes })
}

/** Changes parts of the query of this page. The back button does not undo that. */
export function setQuery(changes: UrlFields): void {
  go(withQuery(changes), { replace: true })
}

/** Lets links within the console change the page without reloading it. */
export function startRouter(): void {
  addEventListener('popstate', () => {
    place.value = currentPlace()
  })
  addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (!link || !isPlainClick(event) || link.target !== '' || link.hasAttribute('download')) return
    const url = new URL(link.href)
    if (url.origin !== location.origin || !url.pathname.startsWith(BASE_PATH) || url.hash !== '') return
    event.preventDefault()
    go(url.pathname + url.search)
    scrollTo(0, 0)
  })
}

function isPlainClick(event: MouseEvent): boolean {
  return (
    event.button === 0 &&
    !event.defaultPrevented &&
    !event.metaKey &&
    !event.ctrlKey &&
    !event.shiftKey &&
    !event.altKey
  )
}

function currentPlace(): Address {
  return { path: `/${location.pathname.slice(BASE_PATH.length)}`, query: new URLSearchParams(location.search) }
}
