import { type OperationId, operationOf } from '../../contract/operations.ts'
import { activationsCreateReconciler } from './activations-create.ts'
import { matchChangeReconciler } from './match-change.ts'
import { matchesCreateReconciler } from './matches-create.ts'
import type { ReconciledId, Reconciler } from './reconciler.ts'
import { segmentsCreateReconciler } from './segments-create.ts'
import { segmentsRefreshReconciler } from './segments-refresh.ts'

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
  'segments.create': segmentsCreateReconciler,
  'segments.refresh': segmentsRefreshReconciler,
  'segments.share': segmentsShare,
  'matches.create': matchesCreateReconciler,
  'matches.refresh': matchChangeReconciler,
  'matches.testControl': matchChangeReconciler,
  'activations.create': activationsCreateReconciler,
}

export function isReconciled(id: OperationId): id is ReconciledId {
  const { repeat } = operationOf(id)
  return repeat === 'lookUp' || repeat === 'onceMore' || repeat === 'never'
}
