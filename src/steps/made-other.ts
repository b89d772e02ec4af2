import { isNotFound } from '../adapter/api-error.ts'
import type { OperationId } from '../contract/operations.ts'
import { AudienceError } from '../core/errors.ts'
import { foldedName } from '../core/folded-name.ts'
import type { JsonObject } from '../core/json.ts'

/**
 * A read showed a different resource from the one that the request made or the step owns. The service gave an old
 * answer, or one for another caller.
 */
export class MadeOtherError extends AudienceError {
  override readonly name = 'MadeOtherError'

  constructor(what: string, other: string) {
    super({
      code: 'made-other',
      kind: 'failed',
      message: `${what} was read, but the service showed a different one: ${other}`,
      hint: 'try again; if it happens again, look in the service for what was made, and tell its operator',
    })
  }
}

/** Whether a read did not find what was made, or found something else. */
export function isAbsent(error: unknown): boolean {
  return isNotFound(error) || error instanceof MadeOtherError
}

/** For the `catch` of such a read: returns undefined if the resource is absent, and throws any other error. */
export function ifAbsent(error: unknown): undefined {
  if (!isAbsent(error)) throw error
}

/**
 * For each operation: what it makes, the field of the result that shows what was asked for, and the field of the
 * request that asks for it.
 */
const SHOWS: Partial<Record<OperationId, readonly [kind: string, shown: string, asked: string]>> = {
  'segments.create': ['segment', 'participantSegmentId', 'participantSegmentId'],
  'matches.create': ['match', 'segmentId', 'segmentId'],
  'activations.create': ['activation', 'ActivationName', 'activationName'],
}

/** Throws if something cannot be what a request made. A field that the service does not show proves nothing. */
export function refuseOther(operation: OperationId, input: object, id: string, made: object): void {
  const [kind, field = '', asked = ''] = SHOWS[operation] ?? []
  const wanted = text((input as JsonObject)[asked])
  const found = text((made as JsonObject)[field])
  if (wanted === undefined || found === undefined || isKeptAs(found, wanted)) return
  throw new MadeOtherError(
    `${kind} ${id}`,
    `its ${field} is ${JSON.stringify(found)}, but ${JSON.stringify(wanted)} was asked for`,
  )
}

/** The value if it is a text that is not blank; otherwise undefined. */
function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/**
 * Whether a service may show a name like this if a different text was sent: some services trim it, compose its letters
 * or change their case. This is enough only for a thing whose id is known, because another thing may have the same
 * name.
 */
export function isKeptAs(found: string, sent: string): boolean {
  return found === sent || foldedName(found) === foldedName(sent)
}
