import type { Position } from '../core/diagnostic.ts'
import { AudienceError } from '../core/errors.ts'

/** What a run is given does not fit its pipeline. */
export function wrongInput(
  code: string,
  message: string,
  hint: string | undefined,
  place?: { readonly at?: Position },
): AudienceError {
  return new AudienceError({
    code,
    kind: 'usage',
    message,
    ...(hint !== undefined && { hint }),
    ...(place?.at && { at: place.at }),
  })
}

/** How many problems a message names. */
const MOST_NAMED = 10

/** One error for all problems of an input. */
export function wrongInputs(name: string, errors: readonly AudienceError[]): AudienceError {
  const [first, ...others] = errors
  if (!first) throw new Error('no problem was given')
  if (others.length === 0) return first
  const shared = new Set(errors.map(({ hint }) => hint)).size === 1 ? first.hint : undefined
  const named = errors
    .slice(0, MOST_NAMED)
    .map(({ message, hint }) => (hint === shared ? message : `${message}${hint === undefined ? '' : ` (${hint})`}`))
  const more = errors.length > MOST_NAMED ? [`and ${errors.length - MOST_NAMED} more`] : []
  const message = `the input ${name} has ${errors.length} problems: ${[...named, ...more].join('; ')}`
  return wrongInput(first.code, message, shared, first.at && { at: first.at })
}
