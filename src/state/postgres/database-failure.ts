import { AudienceError, type ErrorDetails } from '../../core/errors.ts'
import { messageOf } from '../../core/message-of.ts'

/** Converts an error of the database client to an error for people. `place` is the result of `databasePlace`. */
export function failureAt(place: string, error: unknown): AudienceError {
  if (error instanceof AudienceError) return error
  return new AudienceError({ kind: 'unavailable', cause: error, ...detailsOf(place, error) })
}

type Details = Omit<ErrorDetails, 'kind'> & Partial<Pick<ErrorDetails, 'kind'>>

function detailsOf(place: string, error: unknown): Details {
  const [code, text] = [sqlStateOf(error), reasonOf(error)]
  return (
    poolProblem(place, text) ??
    accessProblem(place, code, text) ??
    tlsProblem(place, socketCodeOf(error), text) ??
    databaseProblem(place, code, text) ?? {
      code: 'state-unreachable',
      message: `the database ${place} cannot be reached: ${text}`,
      hint: WAYS[socketCodeOf(error)] ?? 'check that PostgreSQL is running there and that this machine can reach it',
    }
  )
}

/**
 * Recognises the error that the pool throws if no connection becomes free in time. Some connections may still be
 * opening.
 */
function poolProblem(place: string, text: string): Details | undefined {
  if (text !== 'timeout exceeded when trying to connect') return undefined
  return {
    code: 'state-unreachable',
    message: `all connections of this process to the database ${place} are in use, and none became free in 10 s`,
    hint: 'PostgreSQL is slow or unreachable, or this machine is too busy; the log of the database says more',
  }
}

/**
 * Recognises SQLSTATE 28… (authorization) and 42501 (a missing right). SASL is the protocol that exchanges the
 * password.
 */
function accessProblem(place: string, code: string, text: string): Details | undefined {
  const refused = (message: string, hint: string) => ({ code: 'state-refused', message, hint })
  // Without a password, the client fails during SASL.
  if (text.startsWith('SASL') && /password must be a/.test(text))
    return refused(
      `the database ${place} asks for a password, but none is set`,
      'set PGPASSWORD, or set PGPASSFILE to a file with HOST:PORT:DATABASE:ROLE:PASSWORD; only its owner may be able to read the file (chmod 600)',
    )
  if (code === '42501')
    return refused(
      `the role of this process may not do that in the database ${place}: ${text}`,
      'docs/production.md shows which rights the role needs',
    )
  if (!code.startsWith('28') && !text.startsWith('SASL')) return undefined
  return refused(`the database ${place} refuses the connection: ${text}`, refusalHint(text))
}

function refusalHint(text: string): string {
  if (text.includes('pg_hba.conf'))
    return text.includes('no encryption')
      ? 'the server may require TLS: add ?sslmode=verify-full to the URL; otherwise allow this machine and role in its pg_hba.conf'
      : 'allow this machine, role and database in pg_hba.conf of the server'
  if (text.includes('client certificate')) return 'name your certificate and its key in the URL: sslcert and sslkey'
  if (/role ".*" does not exist/.test(text))
    return 'correct the role in the URL, or create it: docs/production.md shows how'
  return 'check the role in the URL, and its password in PGPASSWORD or PGPASSFILE'
}

const TLS_CODES = /^(ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_CA)/

/** Recognises that no connection with the TLS settings of the URL is possible. */
function tlsProblem(place: string, code: string, text: string): Details | undefined {
  const tls = (message: string, hint: string) => ({ code: 'state-tls', message, hint })
  if (text === 'The server does not support SSL connections')
    return tls(
      `the server of ${place} has no TLS, but the URL asks for it`,
      'switch TLS on there (ssl = on), or, if nobody else can read the traffic, write ?sslmode=disable',
    )
  if (!TLS_CODES.test(code)) return undefined
  const hint =
    code === 'ERR_TLS_CERT_ALTNAME_INVALID'
      ? 'use the host name of the certificate in the URL, or get a certificate for the host in the URL'
      : code === 'CERT_HAS_EXPIRED'
        ? 'renew the certificate of the server'
        : 'add sslrootcert to the URL, with the certificate of the authority that signed the server’s certificate; and check sslcert and sslkey, if the URL has them'
  return tls(`no secure connection to ${place}: ${text}`, hint)
}

/**
 * Recognises SQLSTATE 3D000 (unknown database), 08… (connection), 53… (lack of resources) and 57P… (the database stops
 * or starts).
 */
function databaseProblem(place: string, code: string, text: string): Details | undefined {
  if (code === '3D000')
    return {
      code: 'state-unreachable',
      message: `there is no database ${place}`,
      hint: 'create it first (createdb), or correct the name in `state`',
    }
  if (code === '53300')
    return {
      code: 'state-unreachable',
      message: `the database ${place} has no free connection left: ${text}`,
      hint: 'raise max_connections there, or run fewer workers; each takes up to 10',
    }
  if (code === '' || /^(08|53|57P)/.test(code)) return undefined
  return {
    code: 'state-failed',
    kind: 'failed',
    message: `the database ${place} reports: ${text}`,
    hint: 'nothing that was recorded is lost; the log of the database says more',
  }
}

const NO_WAY = 'check the network and its firewalls between this machine and the database'

/** Our own error code: the server at the other end of the connection does not accept writes. */
export const READ_ONLY_SERVER = 'READ_ONLY_SERVER'

/** What to do about a socket error, by its code. */
const WAYS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there: start PostgreSQL, or correct the host and the port',
  ENOTFOUND: 'correct the name of the host',
  EAI_AGAIN: 'the name of the host cannot be looked up at the moment: check DNS',
  EHOSTUNREACH: NO_WAY,
  ENETUNREACH: NO_WAY,
  ETIMEDOUT: NO_WAY,
  [READ_ONLY_SERVER]:
    'the host in the URL must lead to the primary: use a name, a proxy or a load balancer that follows a switchover',
}

/** Only database errors have a severity; socket errors have other codes. */
export function sqlStateOf(error: unknown): string {
  return error instanceof Error && 'severity' in error && 'code' in error ? String(error.code) : ''
}

/** The client's own timeout error has no code. */
function socketCodeOf(error: unknown): string {
  if (/timeout expired|connection timeout/.test(messageOf(error))) return 'ETIMEDOUT'
  return error instanceof Error && 'code' in error && !('severity' in error) ? String(error.code) : ''
}

/** If a host has several addresses, the error contains one error for each address and has no message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ')
  return messageOf(error)
}
