import type { AskedTerms } from './approval.ts'
import type { Diagnostic, Position } from './diagnostic.ts'
import { count } from './format/figures.ts'

/** The kind of an error; each kind has its exit code (see EXIT_CODES). */
export type ErrorKind = 'failed' | 'usage' | 'invalid' | 'unavailable' | 'restart' | 'interrupted'

export const EXIT_CODES = {
  failed: 1,
  usage: 2,
  invalid: 3,
  unavailable: 4,
  // EX_TEMPFAIL of sysexits.h.
  restart: 75,
  interrupted: 130,
} as const satisfies Record<ErrorKind, number>

/** The exit code when the answer to a question is yes, such as whether a plan changes something. It is not an error. */
export const FOUND_EXIT_CODE = 5

/** The exit code of `run --wait` when the run continues and waits for a person or a partner. It is not an error. */
export const WAITS_EXIT_CODE = 6

export interface ErrorDetails {
  /** Stable, kebab-case: what happened, for programs. */
  readonly code: string
  readonly kind: ErrorKind
  /** What happened, to what. */
  readonly message: string
  /** What to do next. */
  readonly hint?: string
  readonly at?: Position
  readonly cause?: unknown
}

/** An error for people to read. Any other thrown value is a bug in our code. */
export class AudienceError extends Error {
  override readonly name: string = 'AudienceError'
  readonly code: string
  readonly kind: ErrorKind
  readonly hint: string | undefined
  readonly at: Position | undefined

  constructor(details: ErrorDetails) {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = details.code
    this.kind = details.kind
    this.hint = details.hint
    this.at = details.at
  }
}

/** An error in what a person or a program asked for. */
export function usageError(code: string, message: string, hint?: string): AudienceError {
  return new AudienceError({ code, kind: 'usage', message, hint })
}

/** What was asked for has failed. */
export function failedError(code: string, message: string, hint?: string): AudienceError {
  return new AudienceError({ code, kind: 'failed', message, hint })
}

/** A document, a configuration or something else that people maintain is wrong. */
export function invalidError(code: string, message: string, hint?: string): AudienceError {
  return new AudienceError({ code, kind: 'invalid', message, hint })
}

/** A service or a database cannot be reached, or refuses access. */
export function unavailableError(code: string, message: string, hint?: string): AudienceError {
  return new AudienceError({ code, kind: 'unavailable', message, hint })
}

/** Work ended because its process was interrupted. */
export function interruptedError(message: string, hint?: string): AudienceError {
  return new AudienceError({ code: 'interrupted', kind: 'interrupted', message, hint })
}

/** An error in what a program asked for, with a sentence for each wrong field. */
export class WrongFieldsError extends AudienceError {
  override readonly name = 'WrongFieldsError'
  /** The keys are the names of the fields. */
  readonly fields: Readonly<Record<string, string>>

  constructor(code: string, message: string, fields: Readonly<Record<string, string>>) {
    super({ code, kind: 'usage', message })
    this.fields = fields
  }
}

/** A document or a configuration with at least one error. It contains all diagnostics. */
export class InvalidDocumentError extends AudienceError {
  override readonly name = 'InvalidDocumentError'
  readonly diagnostics: readonly Diagnostic[]
  /** The document, to show the lines of the diagnostics. */
  readonly text: string

  constructor(file: string, text: string, diagnostics: readonly Diagnostic[]) {
    const errors = diagnostics.filter((diagnostic) => diagnostic.severity === 'error').length
    super({
      code: 'invalid-document',
      kind: 'invalid',
      message: `${file} has ${count(errors, 'error')}`,
    })
    this.diagnostics = diagnostics
    this.text = text
  }
}

/** Whether a failed request took effect, as far as the client can know (docs/decisions.md, "Repeating a write"). */
export type Outcome = 'notSent' | 'rejected' | 'unknown'

/** A failed request to the service: which one, what the service said, and its outcome. Contains no secret. */
export interface RequestFailure {
  readonly operation: string
  readonly method: string
  /** The path with its values, without base URL and query. */
  readonly path: string
  readonly outcome: Outcome
  readonly status?: number
  readonly requestId?: string
  /** What the service said, shortened. */
  readonly detail?: string
}

/** An error in events, in the state and in `--json` output: plain data. */
export interface ErrorReport extends Omit<ErrorDetails, 'cause'> {
  /** For a failed run: the step that failed. */
  readonly step?: string
  readonly request?: RequestFailure
}

/** Thrown by a step that needs a person's decision. The step then waits and does not fail. */
export class NeedsPersonError extends AudienceError {
  override readonly name = 'NeedsPersonError'
  readonly reason: 'decision' | 'approval'
  readonly terms: AskedTerms

  constructor(reason: 'decision' | 'approval', details: Omit<ErrorDetails, 'kind'>, terms: AskedTerms = {}) {
    super({ ...details, kind: 'failed' })
    this.reason = reason
    this.terms = terms
  }
}
