import { isMadeFor } from './ownership.ts'
import type { MatchRequest } from './same-match.ts'
import type { ReconcileDeps } from './writes/reconciler.ts'

/** Whether a match is known to be with another partner or group, or to be from another job. */
export async function isMatchOfOther(
  shownId: string,
  { id, input }: { readonly id: string | undefined; readonly input: MatchRequest },
  { made }: Pick<ReconcileDeps, 'made'>,
): Promise<boolean> {
  const maker = await made.byId('match', shownId)
  if (!maker) return false
  return (!maker.found && maker.job !== id) || !isMadeFor(maker, input)
}
