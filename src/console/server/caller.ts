import type { IncomingMessage } from 'node:http'
import type { Role } from '../../core/role.ts'
import type { Actor } from '../../core/run.ts'
import type { Act, AuditLog } from '../../state/audit-log.ts'
import { ApiFailure } from './api-failure.ts'
import type { Guesses } from './guesses.ts'
import type { ProxyPeople } from './proxy-people.ts'
import { type OpenSession, SESSION_HEADER, type Session, type Sessions } from './sessions.ts'

/** The person or program that makes a request. */
export interface Caller {
  readonly by: string
  readonly role: Role
  readonly via: 'session' | 'token' | 'proxy'
  /** The session, if the browser signed in with a link. */
  readonly session?: OpenSession
  readonly address: string
}

/** Finds the caller of a request. Rejects with a failure with status 401, 403 or 429. */
export async function callerOf(
  request: IncomingMessage,
  deps: {
    sessions: Sessions
    proxy: ProxyPeople
    ownerOfToken: (header: string | undefined) => Session | undefined
    guesses: Guesses
    audit: Pick<AuditLog, 'add'>
  },
): Promise<Caller> {
  const { authorization, cookie } = request.headers
  const address = deps.proxy.addressOf(request)
  if (authorization !== undefined) {
    deps.guesses.check(address, authorization)
    const owner = deps.ownerOfToken(authorization)
    if (owner) {
      deps.guesses.wasRight(address, authorization)
      return { ...owner, via: 'token', address }
    }
    if (deps.guesses.wasWrong(address, authorization)) await deps.audit.add(guessed(address, 'bad-token'))
    const hint = 'check it against `console.tokens` in audience.yaml'
    throw new ApiFailure(401, 'bad-token', 'the access token is not valid here', hint)
  }
  const person = deps.proxy.personOf(request)
  if (person) {
    const { by, role } = person
    if (role) return { by, role, via: 'proxy', address }
    const hint = 'add the person or a group to `console.roles` in audience.yaml'
    throw new ApiFailure(403, 'no-role', `${by} has no role in this console`, hint)
  }
  const half = request.headers[SESSION_HEADER]
  const session = deps.sessions.read({ cookie, half: typeof half === 'string' ? half : undefined })
  if (session) return { by: session.by, role: session.role, via: 'session', session, address }
  const hint = 'open a new link: audience console'
  throw new ApiFailure(401, 'no-session', 'this console does not know who is asking', hint)
}

/** The caller as the audit log records it. */
export function actorOfCaller({ by, role, address }: Caller, reason?: unknown): Actor & { readonly by: string } {
  const comment = typeof reason === 'string' ? reason.trim() : ''
  return { by, role, address, comment: comment === '' ? undefined : comment }
}

/** The audit log entry for a wrong token or link. */
export function guessed(address: string, outcome: string): Act {
  return { act: 'console.guess', subject: 'console', by: 'unknown', address, outcome }
}
