/**
 * Who may not decide about an approval, in the words of documents and audience.yaml. `submitter`: everybody who had a
 * part in starting the run.
 */
export const NOT_BY = ['submitter'] as const
export type NotBy = (typeof NOT_BY)[number]

/** What an approval asks for. */
export interface ApprovalTerms {
  /** The names of the people who may decide; anybody if absent. */
  readonly approvers?: readonly string[]
  /** The names of the people who may not decide. */
  readonly notBy?: readonly string[]
  readonly needsComment?: true
  /** How long the step waits before it fails. */
  readonly timeoutMs?: number
}

/** The terms that a step asks for. `notBy` is `submitter` here, because only the run knows the names. */
export interface AskedTerms extends Omit<ApprovalTerms, 'notBy'> {
  readonly notBy?: NotBy | undefined
}

/** The terms as watchers and readers of a run see them. */
export interface ApprovalFacts extends Omit<ApprovalTerms, 'timeoutMs'> {
  /** When the step fails without a decision; RFC 3339. */
  readonly waitsUntil?: string
}
