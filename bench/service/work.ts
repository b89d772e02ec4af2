/** Who resolves the e-mail addresses, and whom the segment is matched with. */
export const PROVIDER = 1001
export const APPROVER = 2001
export const SCOPES = ['CABLE', 'HIGH_SPEED_DATA']

/** A segment from the file, then a match of it. */
export interface Work {
  readonly dataDir: string
  readonly csvFile: string
  readonly people: number
  /** What the results' names begin with. */
  readonly target: string
}

export interface Figures {
  readonly segmentMs: number
  readonly matchMs: number
  readonly members: number
  readonly matchCount: number
  /** The most that the process had resident in its life. */
  readonly peakBytes: number
}
