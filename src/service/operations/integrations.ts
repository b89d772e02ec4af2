import { ApiError } from '../api-error.ts'
import type { Handlers, OperationsOf } from '../call.ts'
import { pageOf, rowsOf, splitPage } from '../storage/page.ts'

export const integrationHandlers: Handlers<OperationsOf<'integrations'>> = {
  'integrations.list'({ network, caller }, input) {
    const page = pageOf(input)
    const matching = network.integrations.filter(
      ({ participantId, status, purpose }) =>
        participantId === caller.id && status === input.status && purpose === input.purpose,
    )
    if (matching.length === 0) {
      throw new ApiError('not-found', `there is no ${input.status} integration for ${input.purpose}`)
    }
    const { limit, offset } = rowsOf(page)
    const { items, ...rest } = splitPage(matching.slice(offset, offset + limit), page)
    return { integrations: items.map(({ participantId: _owner, ...integration }) => integration), ...rest }
  },
}
