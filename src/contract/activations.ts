import { flag, list, type Static, text } from '../core/json-schema.ts'
import { ACTION_TYPES, REFRESH_RATES } from './enumerations.ts'
import {
  DELETE,
  int64,
  nullableText,
  oneOf,
  openEnum,
  openObject,
  optionalText,
  pageFields,
  pageOf,
  READ,
  requiredText,
} from './fields.ts'
import { Job } from './job.ts'

/** An activation. Three of its names are capitalised, exactly as the service returns them (decision 94). */
const Activation = {
  title: 'Activation',
  ...openObject(['ActivationId', 'Status'], {
    myRole: openEnum(['Requester', 'Approver'], 'The caller’s role.'),
    ActivationId: text('Id of the activation.'),
    ActivationName: text('Name (`activationName` of the request).'),
    Status: openEnum(['Activated'], 'The status of the activation.'),
    spi: flag('Uses sensitive personal information.'),
    deliveryScopes: list(text('A delivery scope.'), 'The delivery scopes; may be empty.'),
    campaign: nullableText('Campaign (`campaignName` of the request).'),
    agency: nullableText('Agency.'),
    brand: nullableText('Brand.'),
  }),
} as const
export type Activation = Static<typeof Activation>

const byId = openObject(['id'], { id: int64('Id of the activation.') })

export const activationOperations = {
  'activations.create': {
    method: 'POST',
    path: '/api/activations',
    summary: 'Activate a matched segment.',
    input: openObject(['activationName', 'segmentId', 'matchJobId', 'refreshRate', 'actionType'], {
      activationName: requiredText(200, 'Name of the activation; need not be unique.'),
      segmentId: text('Id of the segment.'),
      matchJobId: text('The match’s `matchJobId`, read after its job is done.'),
      refreshRate: oneOf(REFRESH_RATES, 'Days between refreshes; 0 means never.'),
      actionType: oneOf(ACTION_TYPES, 'Only REQUEST in this release.'),
      campaignName: optionalText(200, 'Campaign.'),
      agency: optionalText(200, 'Agency.'),
      brand: optionalText(200, 'Brand.'),
      campaignStartDate: { type: 'string', format: 'date-time', description: 'RFC 3339 with an offset.' },
      campaignEndDate: {
        type: 'string',
        format: 'date-time',
        description: 'RFC 3339 with an offset; not before the start.',
      },
    }),
    output: Job,
    status: 200,
    accept: 'vendor',
    notFound: [404, 400],
    job: { resource: 'activationId', read: { operation: 'activations.get', by: 'id' } },
    repeat: 'never',
  },
  'activations.delete': {
    ...DELETE,
    path: '/api/activations/{id}',
    summary: 'Delete an activation.',
    input: byId,
    notFound: [404],
  },
  'activations.get': {
    ...READ,
    path: '/api/activations/{id}',
    summary: 'Read an activation.',
    input: byId,
    output: Activation,
    shows: { id: 'ActivationId' },
    notFound: [404, 400],
  },
  'activations.list': {
    ...READ,
    path: '/api/activations/activations',
    summary: 'List activations.',
    input: { type: 'object', properties: pageFields },
    output: pageOf('activations', Activation),
    list: { items: 'activations', id: 'ActivationId', paged: true },
  },
} as const
