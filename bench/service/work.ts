/** The participant that resolves the e-mail addresses, and the partner of the match. */
export const PROVIDER = 1001
export const APPROVER = 2001
export const SCOPES = ['CABLE', 'HIGH_SPEED_DATA']

/** A segment from the file, then a match of it. */
export interface Work {
  readonly dataDir: string
  readonly csvFile: string
  readonly people: number
  /** The prefix of the results' names. */
  readonly target: string
}

export interface Figures {
  readonly segmentMs: number
  readonly matchMs: number
  readonly members: number
  readonly matchCount: number
  /** The largest resident memory of the process. */
  readonly peakBytes: number
}
