/** What an approval asks for. */
export interface ApprovalTerms {
  /** The names of the people who may decide; anybody if absent. */
  readonly approvers?: readonly string[]
  readonly needsComment?: true
  /** How long the step waits; then it fails. */
  readonly timeoutMs?: number
}

/** The terms as watchers and readers of a run see them. */
export interface ApprovalFacts extends Omit<ApprovalTerms, 'timeoutMs'> {
  /** When the step fails without a decision; RFC 3339. */
  readonly waitsUntil?: string
}
