import { anyObject, anything, flag, list, object, text, time, wholeNumber } from '../../core/json-schema.ts'
import { FaultSpec } from './fault-rule.ts'

const participantId = (description: string) => ({ type: 'integer', description }) as const
const scopes = list(text('A delivery scope.'), 'The delivery scopes.')
const percent = (description: string) => ({ type: 'integer', minimum: 0, maximum: 100, description }) as const
const share = (description: string) => ({ type: 'number', minimum: 0, maximum: 1, description }) as const

export const clock = object(['now', 'frozen', 'offsetMs'], {
  now: time('The time of the service.'),
  frozen: flag('Whether the clock stands still. While it does, no job moves on by itself.'),
  offsetMs: { type: 'integer', description: 'How far the service is ahead of the machine, in milliseconds.' },
})

export const participant = object(
  ['id', 'name', 'baseUrl', 'approval', 'features', 'deliveryScopes', 'customDeliveryScopesDetail'],
  {
    id: participantId('Its id.'),
    name: text('Its name.'),
    baseUrl: text('The address of its API. The token is not shown.'),
    approval: {
      enum: ['auto', 'manual', 'reject'],
      description:
        'How it answers requests: `auto` approves immediately, `manual` waits for a person, `reject` refuses.',
    },
    features: list(
      object(['type', 'signals'], {
        type: text('What it offers to others.'),
        signals: list(text('A signal.'), 'The signals that it offers this for.'),
      }),
      'What it offers to others.',
    ),
    deliveryScopes: scopes,
    customDeliveryScopesDetail: list(
      object(['label', 'value'], { label: text('The name that people see.'), value: text('The scope.') }),
      'The names of its own scopes.',
    ),
    minimumSegmentSize: wholeNumber('The smallest number of members in a segment that it accepts.'),
    universeCoverage: share('The share of all people that it can reach.'),
    graphCoverage: share('The share of keys that it knows.'),
  },
)

export const group = object(['groupId', 'groupName', 'description', 'features', 'groupMembers', 'deliveryScopes'], {
  groupId: text('Its id: a 64-bit integer.'),
  groupName: text('Its name.'),
  description: text('A description for people; may be empty.'),
  features: list(text('A feature.'), 'What it is for.'),
  groupMembers: list(participantId('A participant.'), 'Its members.'),
  deliveryScopes: scopes,
})

export const segment = object(
  [
    ...(['id', 'owner', 'state', 'segmentName', 'participantSegmentId', 'segmentFileName'] as const),
    ...(['uploadSignal', 'resultContent', 'members'] as const),
  ],
  {
    id: text('Its id.'),
    owner: participantId('The participant that it belongs to.'),
    state: text('`building` until its first job succeeds, then `live`.'),
    segmentName: text('Its name.'),
    participantSegmentId: text('The owner’s own id for it.'),
    segmentFileName: text('The file that it was built from.'),
    uploadSignal: text('The signal in the file.'),
    resultContent: text('What it contains: BGIDs or hashed keys.'),
    providerId: participantId('The participant whose identity graph resolved the keys.'),
    members: wholeNumber('How many people it has.'),
  },
)

export const match = object(
  ['id', 'requester', 'segmentId', 'segmentName', 'deliveryScopes', 'status', 'matchCount', 'matchJobId'],
  {
    id: text('Its id.'),
    requester: participantId('Who asked for it.'),
    approver: participantId('The partner that approves; missing for a group match.'),
    groupId: text('The group, for a group match.'),
    segmentId: text('The segment.'),
    segmentName: text('Its name, as the requester sees it; may be empty.'),
    deliveryScopes: scopes,
    status: text('Where it stands.'),
    matchCount: wholeNumber('How many people are on both sides; 0 until the match has finished.'),
    matchJobId: text('The job that last worked on it.'),
    shaveOffPercent: percent('The percentage of people that are in neither test nor control.'),
    controlHoldoutPercent: percent('The percentage of the remaining people that are in the control group.'),
  },
)

export const activation = object(
  ['id', 'activationName', 'requester', 'matchId', 'segmentId', 'status', 'deliveryScopes', 'refreshRate'],
  {
    id: text('Its id.'),
    activationName: text('Its name.'),
    requester: participantId('Who asked for it.'),
    approver: participantId('The partner that approved; missing for a group match.'),
    matchId: text('The match.'),
    segmentId: text('The segment.'),
    status: text('Where it stands.'),
    deliveryScopes: scopes,
    campaign: text('The campaign.'),
    agency: text('The agency.'),
    brand: text('The brand.'),
    campaignStartDate: text('When the campaign begins.'),
    campaignEndDate: text('When it ends.'),
    refreshRate: wholeNumber('Days between refreshes; 0 means never.'),
  },
)

export const request = object(['at', 'method', 'path', 'query', 'durationMs', 'requestId'], {
  at: time('When it arrived, by the clock of the service.'),
  participant: participantId('The participant that the address belongs to.'),
  operation: text('The operation; missing if there is none at this address.'),
  method: text('The method.'),
  path: text('The path.'),
  query: anyObject('The parameters that the operation knows, each a list of texts.'),
  status: wholeNumber('The status of the answer; missing if there was none.'),
  durationMs: { type: 'number', minimum: 0, description: 'How long it took, in milliseconds.' },
  requestId: text('Its id.'),
  bodyBytes: wholeNumber('The announced size of its body.'),
  fault: object(['rule', 'action'], { rule: text('The id of the fault rule.'), action: text('What the fault did.') }),
})

export const fault = object(['id', 'operation', 'action', 'seen', 'applied'], {
  id: text('Its id.'),
  ...FaultSpec.properties,
  retryAfter: anything('The Retry-After header of `status`: seconds, or an HTTP date.'),
  seen: wholeNumber('How many requests it could have applied to.'),
  applied: wholeNumber('How many requests it was applied to.'),
})

export const faultChoice = object(['operation', 'actions'], {
  operation: text('An operation, or `*` for all.'),
  actions: list(FaultSpec.properties.action, 'The actions that are possible for it.'),
})
