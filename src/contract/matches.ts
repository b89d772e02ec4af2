import { flag, list, type Static, text } from '../core/json-schema.ts'
import { DELIVERY_SCOPES, MATCH_STATUSES, SEGMENT_SIGNALS } from './enumerations.ts'
import {
  anyInteger,
  DELETE,
  int32Id,
  int64,
  integerBetween,
  nullableInt64,
  nullableText,
  oneOf,
  openEnum,
  openObject,
  pageFields,
  pageOf,
  READ,
} from './fields.ts'
import { Job } from './job.ts'

/** A match. Its id is a 64-bit number here and a string in a job (decision 70). */
const Match = {
  title: 'Match',
  ...openObject(['matchId', 'status'], {
    matchId: int64('Id of the match.'),
    segmentId: text('The segment that was matched.'),
    segmentName: text('Its name; empty if it is not shared with the caller.'),
    participantSegmentId: nullableText('The owner’s own identifier of the segment.'),
    spi: flag('Uses sensitive personal information.'),
    status: openEnum(MATCH_STATUSES, 'The status of the match.'),
    matchRequestor: anyInteger('The participant that asked for the match.'),
    matchApprover: nullableInt64(
      'Who approves: the partner; for a group match, one of its members, the group, or null (decision 137).',
    ),
    matchSignal: openEnum(SEGMENT_SIGNALS, 'The signal that was used for the match.'),
    matchCount: anyInteger('How many people are on both sides of the match; 0 until the match has finished.'),
    shareBgIds: flag('Whether the requester may read the BGIDs (`accessBgIds` of the request).'),
    shareSegmentName: flag('Whether the approver sees the segment’s name.'),
    segmentOwner: nullableText('Owner of the segment.'),
    deliveryScope: list(text('A delivery scope.'), 'The delivery scopes of the match; may be empty.'),
    description: text('Description; may be empty.'),
    files: list({}, 'Result files; the contract does not show their fields.'),
    matchJobId: text('The job that last worked on the match; an activation needs it.'),
    returnUnmatchedBgIds: flag('Whether BGIDs without a match are also returned.'),
  }),
} as const
export type Match = Static<typeof Match>

const matchId = int64('Id of the match.')
const byMatchId = openObject(['matchId'], { matchId })

const matchRead = { resource: 'matchId', read: { operation: 'matches.get', by: 'matchId' } } as const

export const matchOperations = {
  'matches.create': {
    method: 'POST',
    path: '/api/segments/match',
    summary: 'Match a segment with a partner or a group.',
    description:
      'A BGID segment makes a segment match, and a HASHED segment makes a signal match. With a group, it is a group match.',
    input: openObject(['segmentId', 'deliveryScopes'], {
      segmentId: text('Id of the segment.'),
      partnerId: int32Id('The partner to match with; this or groupId.'),
      groupId: int64('The group to match with; this or partnerId.'),
      deliveryScopes: {
        type: 'array',
        minItems: 1,
        items: openEnum(
          DELIVERY_SCOPES,
          'A delivery scope, or the value (not the label) of a custom delivery scope of the partner.',
        ),
        description: 'Only people who can be reached on one of these; NONE means households without a scope.',
      },
      shareSegmentName: flag('Whether the approver sees the segment’s name; default true.'),
      accessBgIds: flag('Whether you want to read the matched BGIDs; default true.'),
      spi: flag('Uses sensitive personal information; default: as for the segment.'),
      returnUnmatchedBgIds: flag('Whether BGIDs without a match are also returned.'),
    }),
    rules: [
      {
        description: 'partnerId or groupId is required',
        anyOf: [{ required: ['partnerId'] }, { required: ['groupId'] }],
      },
    ],
    output: Job,
    status: 200,
    accept: 'vendor',
    notFound: [400, 404],
    job: matchRead,
    repeat: 'never',
  },
  'matches.testControl': {
    method: 'POST',
    path: '/api/segments/match/test-control/{matchId}',
    summary: 'Split a match into test and control.',
    description:
      'The shave-off is removed first, and the hold-out is taken from the rest. Each request starts from the original set, so a repetition is harmless.',
    input: openObject(['matchId'], {
      matchId,
      shaveOffPercent: integerBetween(0, 100, 'Percentage left out of both test and control.'),
      controlHoldoutPercent: integerBetween(0, 100, 'Percentage of the rest that becomes the control.'),
    }),
    rules: [
      {
        description: 'shaveOffPercent or controlHoldoutPercent is required',
        anyOf: [{ required: ['shaveOffPercent'] }, { required: ['controlHoldoutPercent'] }],
      },
    ],
    output: Job,
    status: 202,
    accept: 'vendor',
    notFound: [400, 404],
    job: matchRead,
    repeat: 'onceMore',
  },
  'matches.get': {
    ...READ,
    path: '/api/segments/match/{matchId}',
    summary: 'Read a match.',
    input: byMatchId,
    output: Match,
    notFound: [404, 400],
  },
  'matches.delete': {
    ...DELETE,
    path: '/api/segments/match/{matchId}',
    summary: 'Delete a match.',
    input: byMatchId,
    notFound: [404, 400],
  },
  'matches.list': {
    ...READ,
    path: '/api/segments/match',
    summary: 'List matches.',
    input: {
      type: 'object',
      properties: {
        requester: flag('true: only matches that you requested; default: everything that you may see.'),
        segmentName: text('Only matches of the segment with exactly this name.'),
        status: oneOf(MATCH_STATUSES, 'Only matches with this status.'),
        ...pageFields,
      },
    },
    output: pageOf('matches', Match),
    list: { items: 'matches', id: 'matchId', paged: true },
  },
  'matches.refresh': {
    method: 'POST',
    path: '/api/segments/match/refresh/{matchId}',
    summary: 'Match again with the current content of the segment.',
    input: byMatchId,
    output: Job,
    status: 202,
    accept: 'vendor',
    notFound: [400, 404],
    job: matchRead,
    repeat: 'onceMore',
  },
} as const
