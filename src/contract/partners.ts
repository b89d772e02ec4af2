import type { Static } from '../core/json-schema.ts'
import { FILE_SIGNALS, PARTNER_FEATURES } from './enumerations.ts'
import { int32Id, integer, listOf, oneOf, openEnum, openText } from './fields.ts'

const Partner = {
  title: 'Partner',
  type: 'object',
  required: ['id', 'name'],
  properties: {
    name: openText('Name.'),
    id: integer('Id of the partner.'),
    features: listOf(
      {
        type: 'object',
        required: ['type', 'signals'],
        properties: {
          type: openEnum(PARTNER_FEATURES, 'What the partner offers.'),
          signals: listOf(openEnum(FILE_SIGNALS, 'A signal.'), 'The signals it offers it for.'),
        },
      },
      'What the partner offers, and for which signals.',
    ),
    deliveryScopes: listOf(openText('A delivery scope.'), 'The delivery scopes of the partner.'),
    customDeliveryScopesDetail: listOf(
      {
        type: 'object',
        required: ['label', 'value'],
        properties: {
          label: openText('Name for people.'),
          value: openText('What a request carries, such as CUSTOM_1.'),
        },
      },
      'The partner’s own delivery scopes; may be absent.',
    ),
  },
} as const
export type Partner = Static<typeof Partner>

export const partnerOperations = {
  'partners.get': {
    method: 'GET',
    path: '/api/partners/{id}',
    summary: 'Read a partner.',
    input: { type: 'object', required: ['id'], properties: { id: int32Id('Id of the partner.') } },
    output: Partner,
    shows: { id: 'id' },
    status: 200,
    accept: 'vendor',
    notFound: [404],
    repeat: 'always',
  },
  'partners.list': {
    method: 'GET',
    path: '/api/partners',
    summary: 'List partners.',
    description: 'featureType and signal must match the same feature entry (decision 120).',
    input: {
      type: 'object',
      properties: {
        featureType: oneOf(PARTNER_FEATURES, 'Only partners that offer this.'),
        signal: oneOf(FILE_SIGNALS, 'Only partners that offer it for this signal.'),
      },
    },
    output: {
      type: 'object',
      required: ['partners'],
      properties: { partners: listOf(Partner, 'The partners.') },
    },
    status: 200,
    accept: 'vendor',
    list: { items: 'partners', id: 'id', paged: false },
    repeat: 'always',
  },
} as const
