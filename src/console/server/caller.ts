import type { IncomingMessage } from 'node:http'
import type { Role } from '../../core/role.ts'
import type { Actor } from '../../core/run.ts'
import { ApiFailure } from './api-failure.ts'
import type { ProxyPeople } from './proxy-people.ts'
import type { OpenSession, Session, Sessions } from './sessions.ts'

/** Who asks. */
export interface Caller {
  readonly by: string
  readonly role: Role
  readonly via: 'session' | 'token' | 'proxy'
  /** Of a browser that signed in with a link. */
  readonly session?: OpenSession
  readonly address: string
}

/** Finds who asks. Throws a failure of status 401 or 403. */
export function callerOf(
  request: IncomingMessage,
  deps: {
    readonly sessions: Sessions
    readonly proxy: ProxyPeople
    readonly ownerOfToken: (header: string | undefined) => Session | undefined
  },
): Caller {
  const { authorization, cookie } = request.headers
  const address = deps.proxy.addressOf(request)
  if (authorization !== undefined) {
    const owner = deps.ownerOfToken(authorization)
    if (owner) return { ...owner, via: 'token', address }
    throw refused(
      'bad-token',
      'the access token is not valid here',
      'check it against `console.tokens` in audience.yaml',
    )
  }
  const person = deps.proxy.personOf(request)
  if (person) {
    const { by, role } = person
    if (role) return { by, role, via: 'proxy', address }
    const hint = 'add the person or a group to `console.roles` in audience.yaml'
    throw new ApiFailure(403, { code: 'no-role', message: `${by} has no role in this console`, hint })
  }
  const session = deps.sessions.read(cookie)
  if (session) return { by: session.by, role: session.role, via: 'session', session, address }
  throw refused('no-session', 'this console does not know who asks', 'open a new link: audience console')
}

/** The caller as the audit log has it. */
export function actorOfCaller({ by, role, address }: Caller, reason?: string): Actor {
  return { by, role, address, ...(reason !== undefined && reason.trim() !== '' && { comment: reason.trim() }) }
}

function refused(code: string, message: string, hint: string): ApiFailure {
  return new ApiFailure(401, { code, message, hint })
}
