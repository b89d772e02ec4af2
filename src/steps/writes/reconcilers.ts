import { type OperationId, operationOf } from '../../contract/operations.ts'
import { activationsCreate } from './activations-create.ts'
import { matchChange } from './match-change.ts'
import { matchesCreate } from './matches-create.ts'
import type { ReconciledId, Reconciler } from './reconciler.ts'
import { segmentsCreate } from './segments-create.ts'
import { segmentsRefresh } from './segments-refresh.ts'

/** The service does not show with whom a segment is shared; sharing it twice has the same result. */
const segmentsShare: Reconciler<'segments.share'> = {
  lookedFor: ({ segmentId, partnerId }) =>
    `segment ${segmentId} shared with partner ${partnerId} (the service does not show shares)`,
  before: async () => ({}),
  look: async ({ request, confirmed }) =>
    confirmed ? { state: 'done', answer: { segmentId: request.segmentId } } : { state: 'notDone' },
  refusal: () => 'lookAndSendAgain',
}

/** One reconciler for each write that must not be sent twice blindly. The type is derived from the contract. */
export const reconcilers: { readonly [Id in ReconciledId]: Reconciler<Id> } = {
  'segments.create': segmentsCreate,
  'segments.refresh': segmentsRefresh,
  'segments.share': segmentsShare,
  'matches.create': matchesCreate,
  'matches.refresh': matchChange,
  'matches.testControl': matchChange,
  'activations.create': activationsCreate,
}

export function isReconciled(id: OperationId): id is ReconciledId {
  const { repeat } = operationOf(id)
  return repeat === 'lookUp' || repeat === 'onceMore' || repeat === 'never'
}
