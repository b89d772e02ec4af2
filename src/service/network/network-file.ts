import {
  DELIVERY_SCOPES,
  FILE_SIGNALS,
  GROUP_FEATURES,
  INTEGRATION_PURPOSES,
  INTEGRATION_STATUSES,
  PARTNER_FEATURES,
} from '../../contract/enumerations.ts'
import { DURATION_PATTERN } from '../../core/duration.ts'
import { flag, object, type Static } from '../../core/json-schema.ts'

const participantId = (description: string) =>
  ({ type: 'integer', minimum: 1, maximum: 2_147_483_647, description }) as const
const text = (description: string) => ({ type: 'string', minLength: 1, maxLength: 200, description }) as const
const share = (description: string) => ({ type: 'number', minimum: 0, maximum: 1, description }) as const
const duration = (description: string) => ({ type: 'string', pattern: DURATION_PATTERN, description }) as const
const STANDARD_SCOPES = DELIVERY_SCOPES.filter((scope) => scope !== 'NONE' && !scope.startsWith('CUSTOM_'))
const customScope = { type: 'string', pattern: '^CUSTOM_[0-9]+$', description: 'The value in a request.' } as const
const deliveryScopes = {
  type: 'array',
  uniqueItems: true,
  items: { type: 'string', pattern: `^(?:${STANDARD_SCOPES.join('|')}|CUSTOM_[0-9]+)$` },
  description: 'The delivery scopes, without NONE. NONE asks for people without any scope (decision 28).',
} as const

const ParticipantEntry = object(['id', 'name'], {
  id: participantId('Id of the participant.'),
  name: text('Name.'),
  features: {
    type: 'array',
    items: object(['type', 'signals'], {
      type: { enum: PARTNER_FEATURES, description: 'What the participant offers.' },
      signals: {
        type: 'array',
        uniqueItems: true,
        items: { enum: FILE_SIGNALS },
        description: 'The signals that it offers this for.',
      },
    }),
    description: 'What the participant offers to others; default: everything, for every signal.',
  },
  deliveryScopes,
  customDeliveryScopesDetail: {
    type: 'array',
    items: object(['label', 'value'], { label: text('The name that people see.'), value: customScope }),
    description: 'The names of the participant’s own scopes: those in its deliveryScopes that begin with CUSTOM_.',
  },
  approval: {
    enum: ['auto', 'manual', 'reject'],
    description: 'What happens to a request that needs this participant’s approval.',
  },
  minimumSegmentSize: {
    type: 'integer',
    minimum: 0,
    description: 'The smallest number of members in a segment that it accepts.',
  },
  universeCoverage: share('The share of the population that it can reach.'),
  graphCoverage: share('The share of each signal’s keys that its identity graph knows.'),
  partners: {
    type: 'array',
    uniqueItems: true,
    items: participantId('A participant.'),
    description: 'The participants that it works with; default: all. Both sides must agree.',
  },
})

const GroupEntry = object(['groupId', 'groupName', 'groupMembers'], {
  groupId: { type: 'string', format: 'int64', description: 'A 64-bit integer. In memory it is a decimal string.' },
  groupName: text('Name.'),
  description: { type: 'string', description: 'Description.' },
  features: { type: 'array', uniqueItems: true, items: { enum: GROUP_FEATURES }, description: 'What it is for.' },
  groupMembers: { type: 'array', minItems: 1, uniqueItems: true, items: participantId('A participant.') },
  groupAccess: {
    type: 'array',
    uniqueItems: true,
    items: participantId('A participant.'),
    description: 'The participants that may use the group; default: all.',
  },
  parameters: object([], { roles: { description: 'Roles; may be null.' } }),
  deliveryScopes,
})

const IntegrationEntry = object(['id', 'participantId', 'integrationName', 'purpose', 'status'], {
  id: { type: 'integer', minimum: 1, description: 'Id of the integration.' },
  participantId: participantId('Whose integration it is.'),
  integrationName: text('Name.'),
  purpose: { enum: INTEGRATION_PURPOSES, description: 'What it is for.' },
  activationApi: { type: 'string', description: 'The API that it activates through.' },
  destinationType: { type: 'string', description: 'The kind of destination.' },
  minimumSegmentSize: {
    type: 'string',
    pattern: '^[0-9]+$',
    description: 'The smallest number of members, as a string (decision 122).',
  },
  status: { enum: INTEGRATION_STATUSES, description: 'The status of the integration.' },
  deliveryScopes,
  includeNone: flag('Whether it accepts people without a scope.'),
  pendingUpdates: flag('Whether changes are waiting.'),
  includeTriggerFile: flag('Whether it delivers a trigger file.'),
})

/** `network.yaml`: the participants of the data-collaboration network, and the synthetic people that they know. */
export const NetworkFile = {
  title: 'Network',
  ...object(['version', 'participants'], {
    version: { const: 1, description: 'Version of the format.' },
    participants: { type: 'array', minItems: 1, items: ParticipantEntry, description: 'The first one is the caller.' },
    groups: { type: 'array', items: GroupEntry },
    integrations: { type: 'array', items: IntegrationEntry },
    population: object([], {
      people: { type: 'integer', minimum: 1, maximum: 20_000_000, description: 'How many people there are.' },
      seed: { type: 'integer', minimum: 0, description: 'A different seed gives different people.' },
    }),
    latencies: {
      description: 'The shortest time that a job stays in each status. An object replaces some of the times of `fast`.',
      anyOf: [
        { enum: ['fast', 'realistic'] },
        object([], {
          PENDING: duration('Time as PENDING.'),
          READY: duration('Time as READY.'),
          RUNNING: duration(
            'Time as RUNNING. If a match has several states while its job is RUNNING, they share this time.',
          ),
        }),
      ],
    },
  }),
} as const
export type NetworkFile = Static<typeof NetworkFile>
