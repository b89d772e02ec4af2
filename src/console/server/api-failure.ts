import { AudienceError, type ErrorKind, WrongFieldsError } from '../../core/errors.ts'

/** The body of an error. */
interface FailureBody {
  readonly code: string
  readonly message: string
  readonly hint?: string
  /** What is wrong with individual fields, by the name of the field. */
  readonly fields?: Readonly<Record<string, string>>
}

/** A request that is refused, with its status. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure'
  readonly status: number
  readonly body: FailureBody

  constructor(status: number, code: string, message: string, hint?: string, fields?: FailureBody['fields']) {
    super(message)
    this.status = status
    this.body = { code, message, hint, fields }
  }
}

/** The statuses for errors from other parts, by code. All other errors get the status of their kind. */
const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  'unknown-run': 404,
  'unknown-step': 404,
  'already-decided': 409,
  'not-waiting': 409,
  'run-ended': 409,
  'run-not-ended': 409,
  'run-not-failed': 409,
  'already-retried': 409,
  'group-busy': 409,
  'key-reused': 409,
  'not-an-approver': 403,
  'own-run': 403,
  'run-taken-over': 409,
  'other-service': 409,
  'unknown-file': 404,
  'unknown-trigger': 404,
  'file-too-large': 413,
  'file-open': 409,
  'file-has-run': 409,
  'file-gone': 409,
  'file-exists': 409,
  'state-is-folder': 409,
  'unknown-worker': 404,
  'worker-gone': 409,
  'worker-too-old': 409,
  'worker-not-draining': 409,
  'no-other-worker': 409,
  'not-a-worker': 409,
  'ambiguous-worker': 409,
  'no-session': 409,
  'no-deployment': 404,
  'unknown-commit': 404,
  'commit-in-use': 409,
  'release-not-kept': 409,
  'deployed-meanwhile': 409,
  'deploy-invalid': 409,
  'service-not-found': 404,
  'service-not-now': 409,
  'state-not-written': 503,
  'state-unreachable': 503,
}

const STATUS_BY_KIND: Readonly<Record<ErrorKind, number>> = {
  usage: 400,
  invalid: 400,
  unavailable: 502,
  restart: 503,
  interrupted: 503,
  failed: 500,
}

/** The failure that a caller gets for an error; undefined if it is an internal error, which callers must not see. */
export function asFailure(error: unknown): ApiFailure | undefined {
  if (error instanceof ApiFailure) return error
  if (!(error instanceof AudienceError)) return undefined
  const { code, kind, message, hint } = error
  const status = STATUS_BY_CODE[code] ?? STATUS_BY_KIND[kind]
  const fields = error instanceof WrongFieldsError ? error.fields : undefined
  return new ApiFailure(status, code, message, hint, fields)
}

/** The failure of an input whose fields are wrong, with what is wrong with each. */
export function wrongFields(fields: Readonly<Record<string, string>>): ApiFailure {
  const [[name, text] = ['', '']] = Object.entries(fields)
  return new ApiFailure(400, 'bad-request', `${name}: ${text}`, undefined, fields)
}
