import { BASE_PATH } from '../base-path.ts'
import { readChoice, writeChoice } from '../choices.ts'

/**
 * The half of the session that only pages of this console have. The cookie is the other half, and a browser sends it to
 * every port of the host. Storage belongs to one origin: host and port.
 */
const NAME = `session:${BASE_PATH}`
/** If the browser keeps nothing, the session lasts as long as the page. */
let taken = ''

/** Keeps the half that a login left in the address, and takes it out of there. */
export function takeSession(): void {
  const half = /^#session=([\w-]+)$/.exec(location.hash)?.[1]
  if (half === undefined) return
  taken = half
  writeChoice(NAME, half)
  history.replaceState(null, '', location.pathname + location.search)
}

/** What proves the session, for each request; nothing for people whom a proxy names. */
export function sessionHeaders(): Readonly<Record<string, string>> {
  const half = readChoice(NAME) || taken
  return half === '' ? {} : { 'x-audience-session': half }
}

export function forgetSession(): void {
  taken = ''
  writeChoice(NAME, '')
}
