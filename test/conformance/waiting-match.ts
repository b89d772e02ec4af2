import type { Session } from './session.ts'

/** A new match that waits for its partner's approval. Needs a control API, which can end a waiting job. */
export async function waitingMatch(session: Session): Promise<{ matchJobId: string; segmentId: string }> {
  const json = await session.matchBody({ partnerId: await session.manualPartnerId(), deliveryScopes: ['CABLE'] })
  const { answer } = await session.endedOrWaiting(await session.send('POST /api/segments/match', { json }))
  return { matchJobId: String(answer.body.id), segmentId: String(json.segmentId) }
}
