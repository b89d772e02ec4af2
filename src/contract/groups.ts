import type { Static } from '../core/json-schema.ts'
import { GROUP_FEATURES } from './enumerations.ts'
import { int64, integer, listOf, oneOf, openEnum, openText } from './fields.ts'

const Group = {
  title: 'Group',
  type: 'object',
  required: ['groupId', 'groupName'],
  properties: {
    groupId: int64('Id of the group.'),
    groupName: openText('Name.'),
    description: openText('Description.'),
    features: listOf(openEnum(GROUP_FEATURES, 'A feature.'), 'What the group can be used for.'),
    groupMembers: listOf(integer('A partner’s id.'), 'The partners in the group.'),
    groupAccess: listOf(integer('A partner’s id.'), 'The partners that may use the group.'),
    parameters: {
      type: 'object',
      properties: { roles: { description: 'Roles; may be null.' } },
      description: 'Parameters of the group.',
    },
    deliveryScopes: listOf(openText('A delivery scope.'), 'The delivery scopes of the group.'),
  },
} as const
export type Group = Static<typeof Group>

export const groupOperations = {
  'groups.get': {
    method: 'GET',
    path: '/api/groups/{id}',
    summary: 'Read a group.',
    input: { type: 'object', required: ['id'], properties: { id: int64('Id of the group.') } },
    output: Group,
    shows: { id: 'groupId' },
    status: 200,
    accept: 'vendor',
    notFound: [404],
    repeat: 'always',
  },
  'groups.list': {
    method: 'GET',
    path: '/api/groups',
    summary: 'List groups.',
    input: {
      type: 'object',
      properties: { groupFeature: oneOf(GROUP_FEATURES, 'Only groups with this feature.') },
    },
    output: {
      type: 'object',
      required: ['group'],
      properties: { group: listOf(Group, 'The groups; the key is singular.') },
    },
    status: 200,
    accept: 'vendor',
    list: { items: 'group', id: 'groupId', paged: false },
    repeat: 'always',
  },
} as const
