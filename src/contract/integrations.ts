import { INTEGRATION_PURPOSES, INTEGRATION_STATUSES } from './enumerations.ts'
import { flag, integer, listOf, oneOf, openEnum, openText, pageFields, pageOf } from './fields.ts'

const Integration = {
  title: 'Integration',
  type: 'object',
  required: ['id', 'integrationName'],
  properties: {
    id: integer('Id of the integration.'),
    integrationName: openText('Name.'),
    purpose: openEnum(INTEGRATION_PURPOSES, 'What it is for.'),
    activationApi: openText('The API it activates through.'),
    destinationType: openText('The kind of destination.'),
    minimumSegmentSize: openText('The smallest segment it takes; a string.'),
    status: openEnum(INTEGRATION_STATUSES, 'The status of the integration.'),
    deliveryScopes: listOf(openText('A delivery scope.'), 'The delivery scopes it reaches.'),
    includeNone: flag('Whether it takes people without a scope.'),
    pendingUpdates: flag('Whether changes are waiting.'),
    includeTriggerFile: flag('Whether it delivers a trigger file.'),
  },
} as const

export const integrationOperations = {
  'integrations.list': {
    method: 'GET',
    path: '/api/integrations/integration',
    summary: 'List integrations of a status and purpose.',
    input: {
      type: 'object',
      required: ['status', 'purpose'],
      properties: {
        status: oneOf(INTEGRATION_STATUSES, 'Only integrations with this status.'),
        purpose: oneOf(INTEGRATION_PURPOSES, 'Only integrations for this.'),
        ...pageFields,
      },
    },
    output: pageOf('integrations', Integration),
    status: 200,
    accept: 'vendor',
    list: { items: 'integrations', id: 'id', paged: true, emptyIs404: true },
    repeat: 'always',
  },
} as const
