/** A step execution of a run. */
export interface ClaimHolder {
  readonly runId: string
  readonly step: string
}

/** The outcome of asking for a claim. */
export type Claimed =
  | {
      readonly state: 'taken'
      /** Changes when another process takes the run over. The claim then belongs to that process. */
      readonly fence: string
    }
  | { readonly state: 'held'; readonly by: ClaimHolder }

/**
 * Claims of resources at the service. A claim lets only one step execution at a time look for a resource and make it
 * (decision 154). A step that looks for a resource before it makes one needs a claim: otherwise two steps could look at
 * the same moment, find nothing, and both make the resource. The name of a resource is its kind and its natural key.
 * Claims belong to one service.
 *
 * A claim ends when its holder releases it, or when the holder's run ends. Until then it survives even the end of the
 * process, because the run may have sent a request whose outcome is unknown.
 */
export interface Claims {
  /**
   * Takes a claim unless another step execution of an unfinished run has it. Atomic. The same step execution may take
   * it again, for example after a takeover of its run. Rejects with a RunTakenOverError if the run has ended or, as far
   * as the state knows, belongs to another process.
   */
  take(thing: string, holder: ClaimHolder): Promise<Claimed>
  /**
   * Gives back a claim that was taken with this fence. Does nothing if another process has taken the run over since.
   */
  release(thing: string, holder: ClaimHolder, fence: string): Promise<void>
}
