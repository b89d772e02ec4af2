/** The shared enumerations of the contract. */

/** The signals whose keys can be given in the clear or as SHA-256. */
const HASHABLE_SIGNALS = ['IP', 'IDFA', 'AAID', 'STBID', 'EMAIL', 'ADDRESS'] as const

/** The signals whose keys are exact ids. For these, 64 hex digits are an id like any other, not a hash. */
export const ID_SIGNALS = ['PARTNER_RECORD_ID', 'BGID', 'RECORD_ID'] as const

export const FILE_SIGNALS = [...HASHABLE_SIGNALS, ...ID_SIGNALS] as const
export type FileSignal = (typeof FILE_SIGNALS)[number]

/** Segments accept one more signal than files do (decision 21). */
export const SEGMENT_SIGNALS = [...FILE_SIGNALS, 'ZIPCODE'] as const
export type Signal = (typeof SEGMENT_SIGNALS)[number]

/** Whether a key of the signal can also be given as SHA-256. */
export function isHashable(signal: Signal): boolean {
  return HASHABLE_SIGNALS.some((one) => one === signal)
}

export const RESULT_CONTENTS = ['BGID', 'HASHED'] as const
export type ResultContent = (typeof RESULT_CONTENTS)[number]

export const FILE_FEATURES = ['SEGMENT_UPLOAD'] as const

/** Partners have three of these values, files have one (decision 24). */
export const PARTNER_FEATURES = ['SEGMENT_UPLOAD', 'SEGMENT_SHARE', 'SEGMENT_MATCH'] as const

export const GROUP_FEATURES = ['AGGREGATED_MATCH', 'EXPOSURE_DATA_SHARE_APPROVAL'] as const

export const INTEGRATION_STATUSES = ['PENDING', 'ENABLED'] as const

export const INTEGRATION_PURPOSES = [
  'ACTIVATION',
  'EXPORT',
  'UNIVERSE_EXPORT',
  'GENERIC_DATA_EXPORT',
  'BATCH_IDENTITY_RESOLUTION',
] as const

export const ACTION_TYPES = ['REQUEST'] as const

/** In days; 0 means never (decision 29). */
export const REFRESH_RATES = [0, 30, 60, 90] as const

/** The delivery scopes that the contract shows; the list is incomplete (decision 25). */
export const DELIVERY_SCOPES = [
  'HIGH_SPEED_DATA',
  'CABLE',
  'VOD_ACTIVE',
  'VOD_CAPABLE',
  'LINEAR_ADDRESSABLE',
  'HIGH_SPEED_INTERNET',
  'CUSTOM_1',
  'NONE',
] as const

export const JOB_STATUSES = [
  'PENDING',
  'READY',
  'RUNNING',
  'CANCELLED',
  'PENDING_APPROVAL',
  'REJECTED',
  'FAILED',
  'PARTIAL_SUCCESS',
  'SUCCESS',
] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

/** A job with one of these statuses no longer changes (decision 123). */
export const TERMINAL_JOB_STATUSES = ['SUCCESS', 'FAILED', 'PARTIAL_SUCCESS', 'CANCELLED', 'REJECTED'] as const

export const MATCH_STATUSES = [
  'FAILED',
  'DELIVERING',
  'WAITING',
  'APPROVED',
  'REJECTED',
  'WAITING_DELIVERY',
  'RUNNING',
  'MATCH_ENGINE_PROCESSING',
  'SUBMITTED',
  'PENDING_APPROVAL',
  'READY_FOR_MATCH',
  'RECEIVED',
  'FETCHED',
  'FINISHED',
  'RECEIVER_RUNNING',
  'AGGREGATE_MATCH_WAITING',
  'CHILD_SUBMITTED',
  'CHILD_RUNNING',
  'UPDATE_SUBMITTED',
  'UPDATE_RUNNING',
  'UNKNOWN',
] as const
export type MatchStatus = (typeof MATCH_STATUSES)[number]

/** A match with one of these statuses no longer changes on its own; APPROVED is not among them (decision 87). */
export const TERMINAL_MATCH_STATUSES = ['FINISHED', 'FAILED', 'REJECTED'] as const
