import type { OperationId } from '../contract/operations.ts'
import { counterpartOf } from './same-match.ts'

/** The claims that a write needs, in words that people understand. */
export interface ClaimedThings {
  /**
   * What the write makes or changes. While its outcome is in doubt, others that want the same thing wait until a person
   * has decided. The scopes of a match are left out, because an author may write them as labels.
   */
  readonly thing: string | undefined
  /**
   * Everything that a check could confuse with it: until the answer arrives, the check for another request could
   * mistake the result for its own. Released when the outcome is noted or is in doubt.
   */
  readonly likes: string | undefined
}

export function claimedThings(operation: OperationId, input: Readonly<Record<string, unknown>>): ClaimedThings {
  const { participantSegmentId, segmentId, activationName, matchId, id } = input
  switch (operation) {
    case 'matches.create': {
      const likes = `match of segment ${segmentId}`
      return { thing: `${likes} with ${counterpartOf(input)}`, likes }
    }
    case 'segments.create':
      return { thing: `segment "${participantSegmentId}"`, likes: undefined }
    case 'segments.refresh':
      return { thing: `change of segment ${id}`, likes: undefined }
    case 'activations.create':
      return {
        thing: `activation "${activationName}" of segment ${segmentId}`,
        likes: `activation "${activationName}"`,
      }
    case 'matches.refresh':
    case 'matches.testControl':
      return { thing: `change of match ${matchId}`, likes: undefined }
    default:
      return { thing: undefined, likes: undefined }
  }
}
