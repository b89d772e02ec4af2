import { controlOperation, noInput } from './control-operation.ts'

export const participantOperations = {
  'participants.list': controlOperation({
    method: 'GET',
    path: '/participants',
    summary: 'List all participants, each with its base URL and token.',
    input: noInput,
    answer:
      '`participants`, each with `id`, `name`, `baseUrl` and `token`, and with what the network file says of it: `features`, `deliveryScopes`, `customDeliveryScopesDetail`, `approval`, `minimumSegmentSize`, `universeCoverage` and `graphCoverage`',
    handle: ({ network, tokens, origin }) => ({
      participants: network.participants.map(({ partners: _partners, customDeliveryScopesDetail = [], ...one }) => ({
        ...one,
        features: one.features.map(({ type, signals }) => ({ type, signals: [...signals] })),
        deliveryScopes: [...one.deliveryScopes],
        customDeliveryScopesDetail: customDeliveryScopesDetail.map((scope) => ({ ...scope })),
        baseUrl: `${origin()}/p/${one.id}`,
        token: tokens.of(one.id),
      })),
    }),
  }),

  'groups.list': controlOperation({
    method: 'GET',
    path: '/groups',
    summary: 'List the groups of the network.',
    input: noInput,
    answer:
      '`groups`, each with `groupId`, `groupName`, `description`, `features`, `groupMembers` and `deliveryScopes`',
    handle: ({ network }) => ({
      groups: network.groups.map(({ groupId, groupName, description, features, groupMembers, deliveryScopes }) => ({
        groupId,
        groupName,
        description,
        features: [...features],
        groupMembers: [...groupMembers],
        deliveryScopes: [...deliveryScopes],
      })),
    }),
  }),
}
