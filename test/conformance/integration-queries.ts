import { Deviation } from './expect.ts'
import type { Session } from './session.ts'

const PURPOSES = ['ACTIVATION', 'EXPORT', 'UNIVERSE_EXPORT', 'GENERIC_DATA_EXPORT', 'BATCH_IDENTITY_RESOLUTION']

/** Every status and purpose that can filter the list of integrations. */
export const INTEGRATION_QUERIES = ['ENABLED', 'PENDING'].flatMap((status) =>
  PURPOSES.map((purpose) => ({ status, purpose, query: `status=${status}&purpose=${purpose}` })),
)

/** A query with integrations and one without, if they exist. */
export async function integrationQueries(session: Session): Promise<{ having?: string; lacking?: string }> {
  const found: { having?: string; lacking?: string } = {}
  for (const { query } of INTEGRATION_QUERIES) {
    const answer = await session.send(`GET /api/integrations/integration?${query}`)
    const { integrations } = answer.body
    if (answer.status === 404) found.lacking ??= query
    else if (Array.isArray(integrations) && integrations.length > 0) found.having ??= query
    else
      throw new Deviation(
        `expected ${answer.request} to list integrations or be 404, got ${answer.status} ${answer.text}`,
      )
  }
  return found
}
