import { flag, list, text } from '../core/json-schema.ts'
import { INTEGRATION_PURPOSES, INTEGRATION_STATUSES } from './enumerations.ts'
import { anyInteger, oneOf, openEnum, openObject, pageFields, pageOf, READ } from './fields.ts'

const Integration = {
  title: 'Integration',
  ...openObject(['id', 'integrationName'], {
    id: anyInteger('Id of the integration.'),
    integrationName: text('Name.'),
    purpose: openEnum(INTEGRATION_PURPOSES, 'What it is for.'),
    activationApi: text('The API it activates through.'),
    destinationType: text('The kind of destination.'),
    minimumSegmentSize: text('The minimum size of a segment; a string.'),
    status: openEnum(INTEGRATION_STATUSES, 'The status of the integration.'),
    deliveryScopes: list(text('A delivery scope.'), 'The delivery scopes it reaches.'),
    includeNone: flag('Whether it takes people without a scope.'),
    pendingUpdates: flag('Whether changes are waiting.'),
    includeTriggerFile: flag('Whether it delivers a trigger file.'),
  }),
} as const

export const integrationOperations = {
  'integrations.list': {
    ...READ,
    path: '/api/integrations/integration',
    summary: 'List integrations by status and purpose.',
    input: openObject(['status', 'purpose'], {
      status: oneOf(INTEGRATION_STATUSES, 'Only integrations with this status.'),
      purpose: oneOf(INTEGRATION_PURPOSES, 'Only integrations for this purpose.'),
      ...pageFields,
    }),
    output: pageOf('integrations', Integration),
    list: { items: 'integrations', id: 'id', paged: true, emptyIs404: true },
  },
} as const
