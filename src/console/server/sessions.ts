import { timingSafeEqual } from 'node:crypto'
import { DAY_MS } from '../../core/duration.ts'
import { ROLES, type Role } from '../../core/role.ts'
import { signature } from './console-key.ts'

/** The person who has signed in with a browser. */
export interface Session {
  readonly by: string
  readonly role: Role
}

/** A session that a cookie has proved. */
export interface OpenSession extends Session {
  /** The signed content of its cookie. */
  readonly content: string
  /** In milliseconds since 1970, like `until`. */
  readonly began: number
  readonly until: number
}

/** What a browser gets when a session begins. Each half is useless without the other. */
interface NewSession {
  /** The value of a `Set-Cookie` header. */
  readonly cookie: string
  /** The half that the pages of the console keep. They send it with each request in the header `SESSION_HEADER`. */
  readonly half: string
}

/**
 * The sessions of browsers. Only the ends of sessions are stored, because the signature proves that a session began. A
 * browser sends a cookie to every port of its host, including the ports of other users' servers. Only pages of the
 * console can read the other half.
 */
export interface Sessions {
  begin(session: Session): NewSession
  /** The value of a `Set-Cookie` header that ends the session in this browser. */
  readonly end: string
  /**
   * The session that a `Cookie` header and the half from the page prove; undefined if they are not valid or the session
   * has ended.
   */
  read(given: { cookie: string | undefined; half: string | undefined }): OpenSession | undefined
  isOpen(session: OpenSession): boolean
}

export const LASTS_MS = 14 * DAY_MS
export const SESSION_HEADER = 'x-audience-session'

export function createSessions(options: {
  key: Buffer
  path: string
  isSecure: boolean
  now: () => number
  isEnded: (session: OpenSession) => boolean
}): Sessions {
  const { key, path, isSecure, now, isEnded } = options
  const isOpen = (session: OpenSession) => session.until > now() && !isEnded(session)
  // A browser sends the cookies of a host to all its ports, so each state has its own cookie name.
  const name = `audience_${signature(key, 'name', '').toString('hex', 0, 4)}`
  const rest = `Path=${path}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  return {
    begin({ by, role }) {
      const content = Buffer.from(JSON.stringify({ by, role, until: now() + LASTS_MS })).toString('base64url')
      const proof = signature(key, 'session', content).toString('base64url')
      return {
        cookie: `${name}=${content}.${proof}; Max-Age=${LASTS_MS / 1000}; ${rest}`,
        half: signature(key, 'page', content).toString('base64url'),
      }
    },
    end: `${name}=; Max-Age=0; ${rest}`,
    isOpen,
    read({ cookie = '', half = '' }) {
      // A server on another port of this host may also set a cookie with this name, for a path that takes precedence.
      const content = cookie
        .split(/;\s*/)
        .filter((pair) => pair.startsWith(`${name}=`))
        .map((pair) => pair.slice(name.length + 1).split('.'))
        .find(
          ([said = '', proof = '']) =>
            isRight(proof, signature(key, 'session', said)) && isRight(half, signature(key, 'page', said)),
        )?.[0]
      if (content === undefined) return undefined
      // Only `begin` signs this.
      const { by, role, until } = JSON.parse(Buffer.from(content, 'base64url').toString()) as Session & {
        until: number
      }
      const session = { by, role, content, began: until - LASTS_MS, until }
      return isOpen(session) && ROLES.includes(role) ? session : undefined
    },
  }
}

function isRight(given: string, right: Buffer): boolean {
  const bytes = Buffer.from(given, 'base64url')
  return bytes.length === right.length && timingSafeEqual(bytes, right)
}
