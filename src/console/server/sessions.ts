import { timingSafeEqual } from 'node:crypto'
import { DAY_MS } from '../../core/duration.ts'
import { ROLES, type Role } from '../../core/role.ts'
import { signature } from './console-key.ts'

/** Who is signed in with a browser. */
export interface Session {
  readonly by: string
  readonly role: Role
}

/** A session that a cookie proves. */
export interface OpenSession extends Session {
  /** What its cookie says, as it is signed. */
  readonly content: string
  /** In milliseconds since 1970, as `until`. */
  readonly began: number
  readonly until: number
}

/** The cookies of sessions. Only ends are stored: that a session began, its signature proves. */
export interface Sessions {
  /** The value of a `Set-Cookie` header that begins a session. */
  begin(session: Session): string
  /** The value of a `Set-Cookie` header that ends it in this browser. */
  readonly end: string
  /** The session of a `Cookie` header, if it has not ended. */
  read(header: string | undefined): OpenSession | undefined
  isOpen(session: OpenSession): boolean
}

export const LASTS_MS = 14 * DAY_MS

export function createSessions(options: {
  readonly key: Buffer
  readonly path: string
  readonly isSecure: boolean
  readonly now: () => number
  readonly isEnded: (session: OpenSession) => boolean
}): Sessions {
  const { key, path, isSecure, now, isEnded } = options
  const isOpen = (session: OpenSession) => session.until > now() && !isEnded(session)
  // Cookies of one host are sent to all of its ports: each state has a name of its own.
  const name = `audience_${signature(key, 'name', '').toString('hex', 0, 4)}`
  const rest = `Path=${path}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  return {
    begin({ by, role }) {
      const content = Buffer.from(JSON.stringify({ by, role, until: now() + LASTS_MS })).toString('base64url')
      const proof = signature(key, 'session', content).toString('base64url')
      return `${name}=${content}.${proof}; Max-Age=${LASTS_MS / 1000}; ${rest}`
    },
    end: `${name}=; Max-Age=0; ${rest}`,
    isOpen,
    read(header = '') {
      const value = header.split(/;\s*/).find((pair) => pair.startsWith(`${name}=`))
      const [content = '', proof = ''] = value?.slice(name.length + 1).split('.') ?? []
      const given = Buffer.from(proof, 'base64url')
      const right = signature(key, 'session', content)
      if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
      // Only `begin` signs this.
      const { by, role, until } = JSON.parse(Buffer.from(content, 'base64url').toString()) as Session & {
        until: number
      }
      const session = { by, role, content, began: until - LASTS_MS, until }
      return isOpen(session) && ROLES.includes(role) ? session : undefined
    },
  }
}
