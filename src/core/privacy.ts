/** How the people in the lists are protected, as audience.yaml defines it. */
export interface Privacy {
  /** Files with the keys that every list leaves out; absolute. */
  readonly suppress: readonly string[]
  readonly membership: MembershipRule
}

/** What is kept of who was in a list: fingerprints of its keys for `keepMs`, only how many they were, or nothing. */
export type MembershipRule =
  | { readonly kind: 'fingerprints'; readonly keepMs: number }
  | { readonly kind: 'counts' }
  | { readonly kind: 'none' }
