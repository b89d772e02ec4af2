import type { Reconciler } from './reconciler.ts'

/** The service does not show with whom a segment is shared; sharing it twice has the same result. */
export const segmentsShare: Reconciler<'segments.share'> = {
  lookedFor: ({ segmentId, partnerId }) =>
    `segment ${segmentId} shared with partner ${partnerId}, which the service does not show`,
  before: async () => ({}),
  look: async ({ request, confirmed }) =>
    confirmed ? { state: 'done', answer: { segmentId: request.segmentId } } : { state: 'notDone' },
  refusal: () => 'lookAndSendAgain',
}
