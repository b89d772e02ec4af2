import type { Position } from '../core/diagnostic.ts'
import { AudienceError, type ErrorDetails } from '../core/errors.ts'

/** Thrown if the inputs of a run do not fit its pipeline. */
export class WrongInputError extends AudienceError {
  override readonly name = 'WrongInputError'
  /**
   * A sentence for each wrong input or wrong part of an input. The keys are names such as `amount` and
   * `audiences[3].file`.
   */
  readonly parts: Readonly<Record<string, string>>

  constructor(details: Omit<ErrorDetails, 'kind'>, parts: Readonly<Record<string, string>>) {
    super({ ...details, kind: 'usage' })
    this.parts = parts
  }
}

export function wrongInput(
  code: string,
  message: string,
  hint: string | undefined,
  { at, part }: { at?: Position; part?: string } = {},
): WrongInputError {
  return new WrongInputError({ code, message, hint, at }, part === undefined ? {} : { [part]: message })
}

/** How many problems a message names. */
const MOST_NAMED = 10
/** The error contains the wrong parts of at most this many problems. */
const MOST_PARTS = 100

/** One error for all problems with an input. */
export function wrongInputs(name: string, errors: readonly WrongInputError[]): WrongInputError {
  const [first, ...others] = errors
  if (!first) throw new Error('no problem was given')
  if (others.length === 0) return first
  const shared = new Set(errors.map(({ hint }) => hint)).size === 1 ? first.hint : undefined
  const named = errors
    .slice(0, MOST_NAMED)
    .map(({ message, hint }) => (hint === shared ? message : `${message}${hint === undefined ? '' : ` (${hint})`}`))
  const more = errors.length > MOST_NAMED ? [`and ${errors.length - MOST_NAMED} more`] : []
  const message = `the input ${name} has ${errors.length} problems: ${[...named, ...more].join('; ')}`
  const { code, at } = first
  return new WrongInputError(
    { code, message, hint: shared, at },
    Object.assign({}, ...errors.slice(0, MOST_PARTS).map(({ parts }) => parts)),
  )
}
