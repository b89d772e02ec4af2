import type { Refused } from './ways.ts'

/** A request that is answered with an error. */
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
