import { list, type Static, text } from '../core/json-schema.ts'
import { FILE_SIGNALS, PARTNER_FEATURES } from './enumerations.ts'
import { anyInteger, int32Id, oneOf, openEnum, openObject, READ } from './fields.ts'

const Partner = {
  title: 'Partner',
  ...openObject(['id', 'name'], {
    name: text('Name.'),
    id: anyInteger('Id of the partner.'),
    features: list(
      openObject(['type', 'signals'], {
        type: openEnum(PARTNER_FEATURES, 'What the partner offers.'),
        signals: list(openEnum(FILE_SIGNALS, 'A signal.'), 'The signals for which the partner offers it.'),
      }),
      'What the partner offers, and for which signals.',
    ),
    deliveryScopes: list(text('A delivery scope.'), 'The delivery scopes of the partner.'),
    customDeliveryScopesDetail: list(
      openObject(['label', 'value'], {
        label: text('Name for people.'),
        value: text('The value to send in a request, such as CUSTOM_1.'),
      }),
      'The partner’s own delivery scopes; may be absent.',
    ),
  }),
} as const
export type Partner = Static<typeof Partner>

export const partnerOperations = {
  'partners.get': {
    ...READ,
    path: '/api/partners/{id}',
    summary: 'Read a partner.',
    input: openObject(['id'], { id: int32Id('Id of the partner.') }),
    output: Partner,
    shows: { id: 'id' },
    notFound: [404],
  },
  'partners.list': {
    ...READ,
    path: '/api/partners',
    summary: 'List partners.',
    description: 'featureType and signal must match the same feature entry (decision 120).',
    input: {
      type: 'object',
      properties: {
        featureType: oneOf(PARTNER_FEATURES, 'Only partners that offer this feature.'),
        signal: oneOf(FILE_SIGNALS, 'Only partners that offer a feature for this signal.'),
      },
    },
    output: openObject(['partners'], { partners: list(Partner, 'The partners.') }),
    list: { items: 'partners', id: 'id', paged: false },
  },
} as const
