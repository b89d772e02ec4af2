/**
 * A file with the keys of people who opted out, as an absolute path. A file with other columns needs the column of the
 * keys and their signal.
 */
export type OptOutFile = string | { readonly file: string; readonly column: string | number; readonly signal: string }

/** The absolute path of a file of people who opted out. */
export function optOutPath(optOut: OptOutFile): string {
  return typeof optOut === 'string' ? optOut : optOut.file
}

/** How the people in the lists are protected, as audience.yaml defines it. */
export interface Privacy {
  /** Files with the keys that every list leaves out. */
  readonly suppress: readonly OptOutFile[]
  readonly membership: MembershipRule
}

/**
 * What is kept about the members of a list: fingerprints of its keys for `keepMs`, only how many there were, or
 * nothing.
 */
export type MembershipRule =
  | { readonly kind: 'fingerprints'; readonly keepMs: number }
  | { readonly kind: 'counts' }
  | { readonly kind: 'none' }
