/** The service to check, and the options of the suite. */
export interface SuiteOptions {
  readonly baseUrl: string
  readonly token: string
  /** The caller's participant id; if absent, it is read from a base URL that ends in `/p/{id}`. */
  readonly participantId?: number
  /** The partner to match with; if absent, the first one with SEGMENT_MATCH for EMAIL. */
  readonly partnerId?: number
  /** Another participant: a partner of the caller that approves by itself. */
  readonly other?: { readonly baseUrl: string; readonly token: string; readonly participantId: number }
  readonly control?: { readonly url: string; readonly token: string }
  /** E-mail addresses of people in the network. */
  readonly sample?: readonly string[]
  /** Whether to run cases that need minutes or hundreds of megabytes. */
  readonly slow: boolean
  /** Whether the service refuses unknown fields and parameters (decision 13). */
  readonly strict: boolean
  /** Cases at a time. */
  readonly concurrency: number
  /** How long a job may take. */
  readonly jobTimeoutMs: number
  /** How long PENDING_APPROVAL lasts before the suite assumes that a person must decide. */
  readonly approvalPatienceMs: number
}

/** The participant that a base URL such as `http://127.0.0.1:4010/p/1001` belongs to. */
export function participantOf(baseUrl: string): number | undefined {
  const id = /\/p\/(\d+)\/?$/.exec(baseUrl)?.[1]
  return id === undefined ? undefined : Number(id)
}
