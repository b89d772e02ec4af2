/** All errors of a request, by the last part of the problem type (RFC 9457). Programs may rely on the names. */
export const PROBLEMS = {
  'invalid-request': { status: 400, title: 'Invalid request' },
  unauthorized: { status: 401, title: 'Access token missing or not valid here' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'not-acceptable': { status: 406, title: 'No acceptable media type' },
  'request-timeout': { status: 408, title: 'The request took too long to arrive' },
  conflict: { status: 409, title: 'Not possible now' },
  'body-too-large': { status: 413, title: 'Request body too large' },
  'unsupported-media-type': { status: 415, title: 'Unsupported media type' },
  'headers-too-large': { status: 431, title: 'Request headers too large' },
  'internal-error': { status: 500, title: 'Internal error' },
  'not-ready': { status: 503, title: 'Not ready yet' },
} as const
export type ProblemName = keyof typeof PROBLEMS

/** One problem and its location: a JSON pointer into the body, or the name of a path or query parameter. */
export interface ProblemItem {
  readonly pointer?: string
  readonly parameter?: string
  readonly message: string
}

/** A refusal with a message for the caller. If a handler throws any other error, the answer is an internal error. */
export class Refusal extends Error {
  override readonly name = 'ApiError'
  readonly problem: ProblemName
  readonly items: readonly ProblemItem[]
  readonly headers: Readonly<Record<string, string>>

  constructor(
    problem: ProblemName,
    detail: string,
    options: { items?: readonly ProblemItem[]; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(detail)
    this.problem = problem
    this.items = options.items ?? []
    this.headers = options.headers ?? {}
  }
}

/** A 400 that lists every problem. */
export function invalidInput(items: readonly ProblemItem[]): Refusal {
  return new Refusal('invalid-request', items.map(sentence).join('; '), { items })
}

function sentence({ pointer, parameter, message }: ProblemItem): string {
  const name = parameter ?? pointer?.slice(1)
  return !name || message.startsWith(name) ? message : `${name} ${message}`
}

/** A 400 about one field of the body. */
export function invalidField(name: string, message: string): Refusal {
  return new Refusal('invalid-request', `${name}: ${message}`, { items: [{ pointer: `/${name}`, message }] })
}

/** A 400 about a path or query parameter. */
export function invalidParameter(name: string, message: string): Refusal {
  return new Refusal('invalid-request', `${name}: ${message}`, { items: [{ parameter: name, message }] })
}

/** A 400 about the state of the service's data, not about a field. */
export function invalidRequest(detail: string): Refusal {
  return new Refusal('invalid-request', detail)
}

/** A 404. Resources of someone else do not exist for the caller (decision 9). */
export function notFound(what: string, id: string): Refusal {
  return new Refusal('not-found', `there is no ${what} ${JSON.stringify(id)}`)
}

/** A 404 for an address. The message leaves out the query, which may contain a secret. */
export function nothingAt(target: string): Refusal {
  return new Refusal('not-found', `there is nothing at ${target.split('?')[0]}`)
}
