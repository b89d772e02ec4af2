import type { Session } from './session.ts'

const PURPOSES = ['ACTIVATION', 'EXPORT', 'UNIVERSE_EXPORT', 'GENERIC_DATA_EXPORT', 'BATCH_IDENTITY_RESOLUTION']

/** A query of status and purpose for which there are integrations, and one for which there are none, where there are. */
export async function integrationQueries(session: Session): Promise<{ having?: string; lacking?: string }> {
  const found: { having?: string; lacking?: string } = {}
  for (const status of ['ENABLED', 'PENDING']) {
    for (const purpose of PURPOSES) {
      const query = `status=${status}&purpose=${purpose}`
      const answer = await session.send(`GET /api/integrations/integration?${query}`)
      if (answer.status === 200) found.having ??= query
      if (answer.status === 404) found.lacking ??= query
    }
  }
  return found
}
