import type { OperationId } from '../contract/operations.ts'
import { counterpartOf } from './same-match.ts'

/** What a write has to have for itself, as people say it. */
export interface ClaimedThings {
  /**
   * What it makes or changes: in doubt, others that want the same wait until a person has decided. Without the scopes of a
   * match, because an author may write them as labels.
   */
  readonly thing: string | undefined
  /**
   * All that a look cannot tell from it: while the answer is on its way, the look of another request would take it for its
   * own. Free again once the outcome is noted, or in doubt.
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
