/** Where the suite runs and what it was given. */
export interface SuiteOptions {
  readonly baseUrl: string
  readonly token: string
  /** The caller's participant id; from a base URL that ends in `/p/{id}` where it is not given. */
  readonly participantId?: number
  /** The partner to match with; the first with SEGMENT_MATCH for EMAIL where it is not given. */
  readonly partnerId?: number
  /** Another participant, a partner of the caller that approves by itself. */
  readonly other?: { readonly baseUrl: string; readonly token: string; readonly participantId: number }
  readonly control?: { readonly url: string; readonly token: string }
  /** E-mail addresses that people of the network have. */
  readonly sample?: readonly string[]
  /** Also what takes minutes or hundreds of megabytes. */
  readonly slow: boolean
  /** The service refuses unknown fields and parameters (decision 13). */
  readonly strict: boolean
  /** Cases at a time. */
  readonly concurrency: number
  /** How long a job may take. */
  readonly jobTimeoutMs: number
  /** How long PENDING_APPROVAL lasts before it is taken for a person's decision that is missing. */
  readonly approvalPatienceMs: number
}

/** The participant that a base URL such as `http://127.0.0.1:4010/p/1001` belongs to. */
export function participantOf(baseUrl: string): number | undefined {
  const id = /\/p\/(\d+)\/?$/.exec(baseUrl)?.[1]
  return id === undefined ? undefined : Number(id)
}
