import type { Form } from './forms.ts'

/** An operation of the service that writes. */
export type WriteId =
  | 'files.upload'
  | 'files.delete'
  | 'segments.create'
  | 'segments.update'
  | 'segments.delete'
  | 'segments.refresh'
  | 'segments.share'
  | 'matches.create'
  | 'matches.refresh'
  | 'matches.testControl'
  | 'matches.delete'
  | 'activations.create'
  | 'activations.delete'

/** How an answer is lost: `…After` when the write was applied, `…Before` when it was not. */
export type LossKind =
  | 'resetBefore'
  | 'errorBefore'
  | 'resetAfter'
  | 'errorAfter'
  | 'htmlAfter'
  | 'emptyAfter'
  | 'truncatedAfter'

/** Something between client and service answers by itself, byte for byte, and then ends the connection. */
export interface Substitute {
  /** Whether the service gets the request. */
  readonly when: 'before' | 'after'
  /** What the client gets; `real` is the body of the service's own answer, if it got the request. */
  bytes(real: string | undefined): Buffer
  /** `drip`: blanks come now and then, until it ends. */
  readonly ending: 'end' | 'reset' | 'drip'
}

/** An operation of the service that reads one thing by its id. */
export type ReadId = 'jobs.get' | 'segments.get' | 'matches.get' | 'activations.get'

/** The next `times` requests of an operation get no proper answer. */
export interface Loss {
  readonly operation: WriteId | ReadId
  readonly how: LossKind | Substitute
  readonly times?: number
}

/** How this service keeps the contract, where the contract leaves it open. All times in milliseconds. */
export interface Ways {
  /** How long a job takes. */
  readonly jobMs: number
  /** The statuses of a job before SUCCESS, each for an equal share of the time. */
  readonly jobStatuses: readonly string[]
  /** `terminal`: jobs have ended when the request is answered. */
  readonly firstAnswer: 'pending' | 'terminal'
  /** How long a job is 404 after it was made. */
  readonly jobHiddenMs: number
  /** How long a job can be read after its end. */
  readonly jobKeptMs: number
  /** How often a job is read after its end before it names what it made. */
  readonly unnamedReads: number
  /** The jobs of matches never name the match. */
  readonly matchUnnamed: boolean
  /** Jobs of changes name what they changed. */
  readonly changesNamed: boolean
  readonly jobIds: 'number' | 'opaque'
  readonly segmentIds: 'number' | 'opaque'
  /** `int64`: numbers that a double does not hold. */
  readonly numbers: 'small' | 'int64'
  /** `swapped`: numbers where strings are documented, and the other way round. */
  readonly idTypes: 'documented' | 'swapped'
  readonly matchId: 'jobId' | 'own'
  /** What a path may name a match by: its id, the job that made it, or both. */
  readonly matchPath: 'both' | 'jobId' | 'matchId'
  /** The job that a match shows: the one that worked last, the one that made it, or one that no answer ever named. */
  readonly matchJobId: 'latest' | 'creating' | 'own'
  /** Whom a group match shows as its approver. */
  readonly approver: 'group' | 'member' | 'caller' | 'null' | 'absent'
  /** Whether a match with a partner shows the partner as its approver. */
  readonly partnerApprover: 'partner' | 'null'
  /** The match shows its scopes. */
  readonly scopesShown: boolean
  /** How fields are shown that were not given. */
  readonly notGiven: 'null' | 'empty' | 'absent'
  /** Whether fields and enumeration values appear that the contract does not name. */
  readonly extras: boolean
  readonly segmentFields: 'all' | 'promised'
  /** Whether the caller can read a segment that a partner shares, besides seeing it in the list. */
  readonly partnersRead: boolean
  readonly filters: 'kept' | 'ignored'
  /** The form of identifiers, names and texts, by what has them. */
  readonly keeps: { readonly segments: Form; readonly activations: Form }
  /** Whether a filter is brought into that form before it is compared. */
  readonly filterForm: 'asSent' | 'kept'
  /** The name of its segment that a match shows: the one when it was made, the one of now, or one of long ago. */
  readonly matchNames: 'atCreation' | 'current' | 'stale'
  /** `tied`: items of equal rank change places at the edges of pages; `shadowed`: the last one never shows, and another one twice. */
  readonly order: 'oldest' | 'newest' | 'tied' | 'shadowed'
  /** How long after the end of its job a thing appears in its list; `-Infinity`: at once. */
  readonly listedAfterMs: { readonly segments: number; readonly matches: number; readonly activations: number }
  /** How long after its job's end a thing is still 404. */
  readonly madeHiddenMs: number
  /** The statuses of a match record while a job works on it, and afterwards. */
  readonly recordStatuses: readonly string[]
  readonly recordEnd: string
  readonly activationStatus: string
  /** The status of answers that start a job. */
  readonly accepted: 200 | 201 | 202
  /** The status of answers to a delete. */
  readonly deleted: 200 | 202 | 204
  /** What an update of a segment answers with. */
  readonly updated: 'segment' | 'promised' | 'empty'
  readonly encoding: 'identity' | 'gzip' | 'br' | 'deflate'
  readonly contentType: string | undefined
  readonly pageFields: 'numbers' | 'strings' | 'absent'
  /** What a second segment of the same participantSegmentId meets. */
  readonly duplicate: Refused | 'taken'
  /** What a request for something that is not there meets, with what body. */
  readonly gone: Refused
  readonly uploadName: 'kept' | 'renamed'
  /** Where lists are whose paths the contract does not show. */
  readonly paths: { readonly groups: string; readonly partners: string }
  /** Things of other people, and of the caller's other work, that were there before. */
  readonly crowd: number
}

export interface Refused {
  readonly status: number
  readonly body: string
}

/** A plain reading of the contract. */
export const PLAIN_WAYS: Ways = {
  jobMs: 1500,
  jobStatuses: ['PENDING', 'RUNNING'],
  firstAnswer: 'pending',
  jobHiddenMs: 0,
  jobKeptMs: Number.POSITIVE_INFINITY,
  unnamedReads: 0,
  matchUnnamed: false,
  changesNamed: true,
  jobIds: 'number',
  segmentIds: 'number',
  numbers: 'small',
  idTypes: 'documented',
  matchId: 'jobId',
  matchPath: 'both',
  matchJobId: 'latest',
  approver: 'group',
  partnerApprover: 'partner',
  scopesShown: true,
  notGiven: 'null',
  extras: false,
  segmentFields: 'all',
  partnersRead: false,
  filters: 'kept',
  keeps: { segments: 'asSent', activations: 'asSent' },
  filterForm: 'asSent',
  matchNames: 'atCreation',
  order: 'oldest',
  listedAfterMs: { segments: 0, matches: Number.NEGATIVE_INFINITY, activations: 0 },
  madeHiddenMs: 0,
  recordStatuses: ['SUBMITTED', 'RUNNING'],
  recordEnd: 'FINISHED',
  activationStatus: 'Activated',
  accepted: 200,
  deleted: 200,
  updated: 'segment',
  encoding: 'identity',
  contentType: 'application/vnd.service.v1+json',
  pageFields: 'numbers',
  duplicate: { status: 400, body: '{"error":"participantSegmentId is taken"}' },
  gone: { status: 404, body: '' },
  uploadName: 'kept',
  paths: { groups: '/api/groups', partners: '/api/partners' },
  crowd: 0,
}
