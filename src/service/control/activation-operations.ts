import { controlOperation, newest } from './control-operation.ts'

export const activationOperations = {
  'activations.list': controlOperation({
    method: 'GET',
    path: '/activations',
    summary: 'List the activations of all participants, newest first.',
    input: newest,
    answer:
      '`activations`, each with `id`, `activationName`, `requester`, `approver`, `matchId`, `segmentId`, `status`, `deliveryScopes`, `campaign`, `agency`, `brand`, `campaignStartDate`, `campaignEndDate` and `refreshRate`',
    handle: ({ store }, { limit = 100 }) => ({
      activations: store.activations.report(limit).map(({ spi: _spi, deliveryScopes, ...activation }) => ({
        ...activation,
        deliveryScopes: [...deliveryScopes],
      })),
    }),
  }),
}
