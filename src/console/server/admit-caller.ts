import type { IncomingMessage } from 'node:http'
import { mayDo } from '../../core/role.ts'
import { mediaTypeParts } from '../../http/request-headers.ts'
import type { ApiOperation } from '../api/api-operation.ts'
import { apiOperations } from '../api/operations.ts'
import { ApiFailure } from './api-failure.ts'
import type { Caller } from './caller.ts'

/** A page on another site can send this header only with the server's permission, and this server never gives it. */
const OWN_HEADER = 'x-audience-console'

/**
 * Checks that a request may perform an operation. A browser adds the cookie to requests from any page, so a write from
 * a browser must also prove that it comes from a page of the console.
 */
export function admitCaller(
  request: IncomingMessage,
  operation: ApiOperation,
  { caller, readOnly, publicUrl }: { caller: Caller; readOnly: boolean; publicUrl: string | undefined },
): void {
  const { headers } = request
  if (headers['sec-fetch-site'] !== undefined && !['same-origin', 'none'].includes(String(headers['sec-fetch-site'])))
    throw crossSite()
  if (!mayDo(caller.role, operation.role)) {
    const hint = `it needs the role ${operation.role}; \`console.roles\` and \`console.tokens\` in audience.yaml give roles`
    throw new ApiFailure(403, 'role-missing', `the role ${caller.role} may not do that`, hint)
  }
  if (operation.method === 'GET') return
  if (readOnly && operation !== apiOperations['session.end'])
    throw new ApiFailure(403, 'read-only', 'this console is read-only', '`console.readOnly` in audience.yaml says so')
  if (caller.via !== 'token') {
    if (!isOwnPage(headers, publicUrl)) throw crossSite()
    if (headers[OWN_HEADER] === undefined) {
      const message = `a write from a browser needs the header ${OWN_HEADER}`
      throw new ApiFailure(403, 'header-missing', message, `send ${OWN_HEADER}: 1, or use a token`)
    }
  }
  const type = operation.upload ? 'application/octet-stream' : 'application/json'
  if (mediaTypeParts(headers['content-type'])[0] !== type)
    throw new ApiFailure(415, 'wrong-type', `the body must be ${type}`, `send Content-Type: ${type}`)
}

/**
 * Whether the request comes from a page of this console. Browsers leave out `Sec-Fetch-Site` if the page came over
 * plain HTTP from another machine. In that case, `Origin` says which page it was.
 */
function isOwnPage(headers: IncomingMessage['headers'], publicUrl: string | undefined): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const origin = headers.origin === undefined ? null : URL.parse(headers.origin)
  if (!origin) return false
  return origin.host === headers.host || (publicUrl !== undefined && origin.origin === new URL(publicUrl).origin)
}

/** The refusal of a request from a page on another site. */
export function crossSite(): ApiFailure {
  return new ApiFailure(403, 'cross-site', 'requests from pages of other sites are refused')
}
