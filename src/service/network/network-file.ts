import {
  DELIVERY_SCOPES,
  FILE_SIGNALS,
  GROUP_FEATURES,
  INTEGRATION_PURPOSES,
  INTEGRATION_STATUSES,
  PARTNER_FEATURES,
} from '../../contract/enumerations.ts'
import { DURATION_PATTERN } from '../../core/duration.ts'
import type { Static } from '../../core/json-schema.ts'

const participantId = (description: string) =>
  ({ type: 'integer', minimum: 1, maximum: 2_147_483_647, description }) as const
const text = (description: string) => ({ type: 'string', minLength: 1, maxLength: 200, description }) as const
const share = (description: string) => ({ type: 'number', minimum: 0, maximum: 1, description }) as const
const duration = (description: string) => ({ type: 'string', pattern: DURATION_PATTERN, description }) as const
const STANDARD_SCOPES = DELIVERY_SCOPES.filter((scope) => scope !== 'NONE' && !scope.startsWith('CUSTOM_'))
const customScope = { type: 'string', pattern: '^CUSTOM_[0-9]+$', description: 'What a request carries.' } as const
const deliveryScopes = {
  type: 'array',
  uniqueItems: true,
  items: { type: 'string', pattern: `^(?:${STANDARD_SCOPES.join('|')}|CUSTOM_[0-9]+)$` },
  description: 'Delivery scopes. NONE is not one: it asks for the people without any (decision 28).',
} as const

const ParticipantEntry = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'name'],
  properties: {
    id: participantId('Id of the participant.'),
    name: text('Name.'),
    features: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['type', 'signals'],
        properties: {
          type: { enum: PARTNER_FEATURES, description: 'What the participant offers.' },
          signals: {
            type: 'array',
            uniqueItems: true,
            items: { enum: FILE_SIGNALS },
            description: 'For which signals.',
          },
        },
      },
      description: 'What the participant offers to others; everything for every signal if it is not given.',
    },
    deliveryScopes,
    customDeliveryScopesDetail: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['label', 'value'],
        properties: { label: text('Name for people.'), value: customScope },
      },
      description: 'Names for people of the participant’s own scopes, the CUSTOM_ ones among its deliveryScopes.',
    },
    approval: {
      enum: ['auto', 'manual', 'reject'],
      description: 'What becomes of a request that needs this participant’s approval.',
    },
    minimumSegmentSize: { type: 'integer', minimum: 0, description: 'The fewest members of a segment it takes.' },
    universeCoverage: share('Which share of the population it can reach.'),
    graphCoverage: share('Which share of each signal’s keys its identity graph knows.'),
    partners: {
      type: 'array',
      uniqueItems: true,
      items: participantId('A participant.'),
      description: 'Whom it works with; everybody if it is not given. Both sides have to agree.',
    },
  },
} as const

const GroupEntry = {
  type: 'object',
  additionalProperties: false,
  required: ['groupId', 'groupName', 'groupMembers'],
  properties: {
    groupId: { type: 'string', format: 'int64', description: 'A 64-bit integer; a decimal string in memory.' },
    groupName: text('Name.'),
    description: { type: 'string', description: 'Description.' },
    features: { type: 'array', uniqueItems: true, items: { enum: GROUP_FEATURES }, description: 'What it is for.' },
    groupMembers: { type: 'array', minItems: 1, uniqueItems: true, items: participantId('A participant.') },
    groupAccess: {
      type: 'array',
      uniqueItems: true,
      items: participantId('A participant.'),
      description: 'Who may use the group; everybody if it is not given.',
    },
    parameters: {
      type: 'object',
      additionalProperties: false,
      properties: { roles: { description: 'Roles; may be null.' } },
    },
    deliveryScopes,
  },
} as const

const IntegrationEntry = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'participantId', 'integrationName', 'purpose', 'status'],
  properties: {
    id: { type: 'integer', minimum: 1, description: 'Id of the integration.' },
    participantId: participantId('Whose integration it is.'),
    integrationName: text('Name.'),
    purpose: { enum: INTEGRATION_PURPOSES, description: 'What it is for.' },
    activationApi: { type: 'string', description: 'The API it activates through.' },
    destinationType: { type: 'string', description: 'The kind of destination.' },
    minimumSegmentSize: { type: 'string', pattern: '^[0-9]+$', description: 'A string (decision 122).' },
    status: { enum: INTEGRATION_STATUSES, description: 'Where the integration stands.' },
    deliveryScopes,
    includeNone: { type: 'boolean', description: 'Whether it takes people without a scope.' },
    pendingUpdates: { type: 'boolean', description: 'Whether changes are waiting.' },
    includeTriggerFile: { type: 'boolean', description: 'Whether it delivers a trigger file.' },
  },
} as const

/** `network.yaml`: the participants of the data-collaboration network, and the synthetic people that they know. */
export const NetworkFile = {
  title: 'Network',
  type: 'object',
  additionalProperties: false,
  required: ['version', 'participants'],
  properties: {
    version: { const: 1, description: 'Version of the format.' },
    participants: { type: 'array', minItems: 1, items: ParticipantEntry, description: 'The first one is the caller.' },
    groups: { type: 'array', items: GroupEntry },
    integrations: { type: 'array', items: IntegrationEntry },
    population: {
      type: 'object',
      additionalProperties: false,
      properties: {
        people: { type: 'integer', minimum: 1, maximum: 20_000_000, description: 'How many people there are.' },
        seed: { type: 'integer', minimum: 0, description: 'Another seed makes other people.' },
      },
    },
    latencies: {
      description: 'How long a job stays in each status at least; an object changes single ones of `fast`.',
      anyOf: [
        { enum: ['fast', 'realistic'] },
        {
          type: 'object',
          additionalProperties: false,
          properties: {
            PENDING: duration('Time as PENDING.'),
            READY: duration('Time as READY.'),
            RUNNING: duration('Time as RUNNING; a match record’s own states share it.'),
          },
        },
      ],
    },
  },
} as const
export type NetworkFile = Static<typeof NetworkFile>
