/** A step execution of a run. */
export interface ClaimHolder {
  readonly runId: string
  readonly step: string
}

/** The outcome of asking for a claim. */
export type Claimed =
  | {
      readonly state: 'taken'
      /** Changes when another process takes the run over: then the claim is that process's. */
      readonly fence: string
    }
  | { readonly state: 'held'; readonly by: ClaimHolder }

/**
 * Claims of resources at the service that one step execution at a time looks for and makes (decision 154). A step that
 * looks before it makes needs one: two that look at the same moment both find nothing. A thing is named by its kind and
 * its natural key. Claims belong to one service.
 *
 * A claim ends when its holder releases it, or with the holder's run. Until then it also survives the process: the run
 * may have sent a request whose outcome nobody knows.
 */
export interface Claims {
  /**
   * Takes a claim unless another step execution of an unfinished run has it. Atomic. It may be taken again by the same
   * step execution, as after a takeover of its run. Rejects with a RunTakenOverError if the run has ended or, as far as
   * is known, belongs to another process.
   */
  take(thing: string, holder: ClaimHolder): Promise<Claimed>
  /** Gives a claim back that was taken with this fence; does nothing if another process took the run over since. */
  release(thing: string, holder: ClaimHolder, fence: string): Promise<void>
}
