import type { Holdings } from './holdings.ts'

const OTHER = 3003n

/** Things that existed before: `size` of each kind, as similar to the things of a test as possible. */
export function crowd(holdings: Holdings, size: number, activationName: string): void {
  const past = {
    isCreation: true,
    made: {},
    startedAt: Number.NEGATIVE_INFINITY,
    endsAt: Number.NEGATIVE_INFINITY,
    readsAfterEnd: 1,
  }
  for (let index = 0; index < size; index += 1) {
    const job = { ...past, id: holdings.number() }
    const id = holdings.segmentId()
    const fields = { segmentName: 'Auto intenders', participantSegmentId: `other-${index}`, uploadSignal: 'EMAIL' }
    holdings.segments.push({ id, fields, keys: new Set(), jobs: [job], shares: new Map(), namesBefore: [] })
    holdings.matches.push({
      id: holdings.number(),
      request: { segmentId: id, groupId: 9001, deliveryScopes: ['CABLE'], shareSegmentName: false, accessBgIds: false },
      segmentName: 'Auto intenders',
      jobs: [job],
      shownJobs: [job],
      requestor: index % 2 === 0 ? 1001n : OTHER,
    })
    const isOther = index % 2 === 1
    const request = isOther ? { activationName } : { activationName: `${activationName} ${index}` }
    holdings.activations.push({ id: holdings.number(), request, myRole: isOther ? 'Approver' : 'Requester', job })
  }
}
