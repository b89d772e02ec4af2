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
