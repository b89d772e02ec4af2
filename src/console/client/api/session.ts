import { BASE_PATH } from '../base-path.ts'
import { readChoice, writeChoice } from '../choices.ts'

/**
 * The half of the session that only pages of this console have. The cookie is the other half, and a browser sends it to
 * every port of the host. Storage belongs to one origin: host and port.
 */
const NAME = `session:${BASE_PATH}`
const HEADER = 'x-audience-session'
/** If the browser keeps nothing, the session lasts as long as the page. */
let taken = ''
/** The half from the address. Any page may have led here, so it replaces the other half only once it works. */
let offered = ''

/** Removes the half that a login left in the address, and returns it. */
export function takeSession(): void {
  const half = /^#session=([\w-]+)$/.exec(location.hash)?.[1]
  if (half === undefined) return
  offered = half
  history.replaceState(null, '', location.pathname + location.search)
}

/** The proof of the session, for each request; nothing for people whom a proxy names. */
export function sessionHeaders(): Readonly<Record<string, string>> {
  const half = offered || readChoice(NAME) || taken
  return half === '' ? {} : { [HEADER]: half }
}

/** Keeps the half from the address, because a request with it was answered. */
export function sessionWorked({ [HEADER]: used }: Readonly<Record<string, string>>): void {
  if (offered === '' || used !== offered) return
  taken = offered
  writeChoice(NAME, offered)
  offered = ''
}

/** Drops the half from the address if it was refused. Returns whether there is another half to try now. */
export function sessionRefused({ [HEADER]: used }: Readonly<Record<string, string>>): boolean {
  if (used === offered) offered = ''
  const now = sessionHeaders()[HEADER]
  return now !== undefined && now !== used
}

export function forgetSession(): void {
  taken = ''
  offered = ''
  writeChoice(NAME, '')
}
