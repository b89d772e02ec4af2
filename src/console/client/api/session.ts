import { BASE_PATH } from '../base-path.ts'
import { readChoice, writeChoice } from '../choices.ts'

/**
 * One half of the proof of a session. Only pages of this console can read it, because it is in the browser's storage,
 * which belongs to one origin (host and port). The cookie is the other half, but a browser sends it to every port of
 * the host.
 */
const NAME = `session:${BASE_PATH}`
const HEADER = 'x-audience-session'
/** If the browser stores nothing, the session lasts as long as the page. */
let taken = ''
/**
 * The half from the address. Any page may have linked here, so it replaces the stored half only after the server has
 * accepted a request with it.
 */
let offered = ''

/** Takes the half that a login left in the address, and removes it from the address. */
export function takeSession(): void {
  const half = /^#session=([\w-]+)$/.exec(location.hash)?.[1]
  if (half === undefined) return
  offered = half
  history.replaceState(null, '', location.pathname + location.search)
}

/** The headers that prove the session of a request. There are none for people who are identified by a proxy. */
export function sessionHeaders(): Readonly<Record<string, string>> {
  const half = offered || readChoice(NAME) || taken
  return half === '' ? {} : { [HEADER]: half }
}

/** Stores the half from the address, because the server has accepted a request with it. */
export function sessionWorked({ [HEADER]: used }: Readonly<Record<string, string>>): void {
  if (offered === '' || used !== offered) return
  taken = offered
  writeChoice(NAME, offered)
  offered = ''
}

/** Forgets the half from the address if the server refused it. Returns whether there is another half to try now. */
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
