import { list, type Static, text } from '../core/json-schema.ts'
import { GROUP_FEATURES } from './enumerations.ts'
import { anyInteger, int64, oneOf, openEnum, openObject, READ } from './fields.ts'

const Group = {
  title: 'Group',
  ...openObject(['groupId', 'groupName'], {
    groupId: int64('Id of the group.'),
    groupName: text('Name.'),
    description: text('Description.'),
    features: list(openEnum(GROUP_FEATURES, 'A feature.'), 'What the group can be used for.'),
    groupMembers: list(anyInteger('A partner’s id.'), 'The partners in the group.'),
    groupAccess: list(anyInteger('A partner’s id.'), 'The partners that may use the group.'),
    parameters: {
      type: 'object',
      properties: { roles: { description: 'Roles; may be null.' } },
      description: 'Parameters of the group.',
    },
    deliveryScopes: list(text('A delivery scope.'), 'The delivery scopes of the group.'),
  }),
} as const
export type Group = Static<typeof Group>

export const groupOperations = {
  'groups.get': {
    ...READ,
    path: '/api/groups/{id}',
    summary: 'Read a group.',
    input: openObject(['id'], { id: int64('Id of the group.') }),
    output: Group,
    shows: { id: 'groupId' },
    notFound: [404],
  },
  'groups.list': {
    ...READ,
    path: '/api/groups',
    summary: 'List groups.',
    input: {
      type: 'object',
      properties: { groupFeature: oneOf(GROUP_FEATURES, 'Only groups with this feature.') },
    },
    output: openObject(['group'], { group: list(Group, 'The groups; the key is singular.') }),
    list: { items: 'group', id: 'groupId', paged: false },
  },
} as const
