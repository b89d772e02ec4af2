/** The error of a request that the server refused, or that did not reach the server (status 0). */
export class CallError extends Error {
  override readonly name = 'CallError'
  readonly status: number
  readonly hint: string | undefined
  /** What is wrong with individual fields, by the name of the field. */
  readonly fields: Readonly<Record<string, string>>

  constructor(status: number, body: CallErrorBody) {
    super(body.message)
    this.status = status
    this.hint = body.hint
    this.fields = body.fields ?? {}
  }
}

export interface CallErrorBody {
  readonly message: string
  readonly hint?: string
  readonly fields?: Readonly<Record<string, string>>
}

/** Turns any failure of a call into an error that can be shown. */
export function asCallError(error: unknown): CallError {
  if (error instanceof CallError) return error
  return new CallError(0, { message: error instanceof Error ? error.message : String(error) })
}
