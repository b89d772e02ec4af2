import type { Refused } from './ways.ts'

/** Makes the service answer a request with an error. */
export class Refusal extends Error {
  readonly status: number
  readonly body: string

  constructor({ status, body }: Refused) {
    super(body)
    this.status = status
    this.body = body
  }
}

export function invalid(why: string): Refusal {
  return new Refusal({ status: 400, body: JSON.stringify({ error: why }) })
}
