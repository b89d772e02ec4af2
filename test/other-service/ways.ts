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

/**
 * Something between client and service answers instead of the service, with exact bytes, and then ends the connection.
 */
export interface Substitute {
  /** Whether the service gets the request. */
  readonly when: 'before' | 'after'
  /** The answer for the client; `real` is the body of the service's own answer, if it got the request. */
  bytes(real: string | undefined): Buffer
  /** `drip`: spaces follow from time to time, until the connection ends. */
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

/** How this service keeps the contract where the contract leaves a choice. All times in milliseconds. */
export interface Ways {
  /** How long a job takes. */
  readonly jobMs: number
  /** The statuses of a job before SUCCESS, each for the same share of the time. */
  readonly jobStatuses: readonly string[]
  /** `terminal`: jobs have ended when the request is answered. */
  readonly firstAnswer: 'pending' | 'terminal'
  /** How long after its start a job is answered with 404. */
  readonly jobHiddenMs: number
  /** How long a job can be read after its end. */
  readonly jobKeptMs: number
  /** How many reads of an ended job do not name the thing that it made. */
  readonly unnamedReads: number
  /** Whether the jobs of matches never name the match. */
  readonly matchUnnamed: boolean
  /** Whether jobs of changes name the thing that they changed. */
  readonly changesNamed: boolean
  readonly jobIds: 'number' | 'opaque'
  readonly segmentIds: 'number' | 'opaque'
  /** `int64`: numbers that a double cannot hold. */
  readonly numbers: 'small' | 'int64'
  /** `swapped`: numbers in place of the documented strings, and strings in place of numbers. */
  readonly idTypes: 'documented' | 'swapped'
  readonly matchId: 'jobId' | 'own'
  /** How a path can name a match: by its id, by the job that made it, or both. */
  readonly matchPath: 'both' | 'jobId' | 'matchId'
  /** The job that a match shows: the one that worked last, the one that made it, or one that no answer ever named. */
  readonly matchJobId: 'latest' | 'creating' | 'own'
  /** The approver that a group match shows. */
  readonly approver: 'group' | 'member' | 'caller' | 'null' | 'absent'
  /** Whether a match with a partner shows the partner as its approver. */
  readonly partnerApprover: 'partner' | 'null'
  /** Whether a match shows its scopes. */
  readonly scopesShown: boolean
  /** How absent fields are shown. */
  readonly notGiven: 'null' | 'empty' | 'absent'
  /** Whether fields and enumeration values appear that the contract does not name. */
  readonly extras: boolean
  readonly segmentFields: 'all' | 'promised'
  /** Whether the caller can read a segment that a partner shares, besides seeing it in the list. */
  readonly partnersRead: boolean
  readonly filters: 'kept' | 'ignored'
  /** The form of identifiers, names and texts, by kind of thing. */
  readonly keeps: { readonly segments: Form; readonly activations: Form }
  /** Whether a filter is converted to that form before the comparison. */
  readonly filterForm: 'asSent' | 'kept'
  /** The segment name that a match shows: the one at its creation, the current one, or a very old one. */
  readonly matchNames: 'atCreation' | 'current' | 'stale'
  /**
   * `tied`: items of equal rank change places at page boundaries; `shadowed`: the last one never appears, and another
   * one appears twice.
   */
  readonly order: 'oldest' | 'newest' | 'tied' | 'shadowed'
  /** How long after the end of its job a thing appears in its list; `-Infinity`: immediately. */
  readonly listedAfterMs: { readonly segments: number; readonly matches: number; readonly activations: number }
  /** How long after the end of its job a thing is still answered with 404. */
  readonly madeHiddenMs: number
  /** The statuses of a match record while a job works on it, and afterwards. */
  readonly recordStatuses: readonly string[]
  readonly recordEnd: string
  readonly activationStatus: string
  /** The status of answers that start a job. */
  readonly accepted: 200 | 201 | 202
  /** The status of answers to a delete. */
  readonly deleted: 200 | 202 | 204
  /** The answer to an update of a segment. */
  readonly updated: 'segment' | 'promised' | 'empty'
  readonly encoding: 'identity' | 'gzip' | 'br' | 'deflate'
  readonly contentType: string | undefined
  readonly pageFields: 'numbers' | 'strings' | 'absent'
  /** The answer to a second segment with the same participantSegmentId. */
  readonly duplicate: Refused | 'taken'
  /** The status and body of the answer to a request for something that does not exist. */
  readonly gone: Refused
  readonly uploadName: 'kept' | 'renamed'
  /** The paths of lists for which the contract shows none. */
  readonly paths: { readonly groups: string; readonly partners: string }
  /** Things of other people, and of the caller's other work, that existed before. */
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
