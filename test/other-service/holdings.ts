import type { Ways } from './ways.ts'

/** Work that continues after the answer and ends when its time is over. Times in milliseconds. */
export interface Job {
  readonly id: string
  readonly startedAt: number
  readonly endsAt: number
  /** The thing that it made or changed. */
  readonly made: { readonly segmentId?: string; readonly matchId?: string; readonly activationId?: string }
  readonly isCreation: boolean
  readsAfterEnd: number
}

export type Fields = Readonly<Record<string, unknown>>

export interface Segment {
  readonly id: string
  fields: Fields
  keys: ReadonlySet<string>
  readonly jobs: Job[]
  /** The partners that it is shared with, and how often each got it. */
  readonly shares: Map<string, number>
  /** The names that it had. */
  readonly namesBefore: unknown[]
  /** Whether it belongs to a partner, which shares it with the caller. */
  readonly isPartners?: true
}

export interface Match {
  readonly id: string
  readonly request: Fields
  readonly segmentName: string
  /** The jobs that worked on it, and the job ids that it shows for them. */
  readonly jobs: Job[]
  readonly shownJobs: Job[]
  readonly requestor: bigint
  /** The split into test and control. This service forgets it when the match is refreshed. */
  split?: Fields
}

export interface Activation {
  readonly id: string
  readonly request: Fields
  readonly myRole: string
  readonly job: Job
}

/** Everything that the service has for one participant, and the figures that a test checks afterwards. */
export class Holdings {
  readonly files = new Map<string, ReadonlySet<string>>()
  readonly segments: Segment[] = []
  readonly matches: Match[] = []
  readonly activations: Activation[] = []
  readonly jobs = new Map<string, Job>()
  /** The deleted things by kind, for tests to count. */
  readonly deleted = { segments: 0, matches: 0, activations: 0 }
  readonly #ways: Ways
  readonly #now: () => number
  #count = 0

  constructor(ways: Ways, now: () => number) {
    this.#ways = ways
    this.#now = now
  }

  now(): number {
    return this.#now()
  }

  number(): string {
    this.#count += 1
    return this.#ways.numbers === 'small'
      ? String(5000 + this.#count)
      : String(9007199254740993n + 2n * BigInt(this.#count))
  }

  segmentId(): string {
    return this.#ways.segmentIds === 'number' ? this.number() : `seg/${this.number()} ä+%2F`
  }

  /** A new job. `madeBy` gets its id, because a match can be addressed by it. */
  start(isCreation: boolean, madeBy: (jobId: string) => Job['made']): Job {
    const { jobIds, firstAnswer, jobMs } = this.#ways
    const number = this.number()
    const id = jobIds === 'number' ? number : `job:${number}/é`
    const startedAt = this.#now()
    const endsAt = firstAnswer === 'terminal' ? startedAt : startedAt + jobMs
    const job = { id, startedAt, endsAt, made: madeBy(id), isCreation, readsAfterEnd: 0 }
    this.jobs.set(id, job)
    return job
  }
}

/** Whether the last job on a thing is still at work. */
export function isBusy({ jobs }: { readonly jobs: readonly Job[] }, now: number): boolean {
  const last = jobs.at(-1)
  return last !== undefined && now < last.endsAt
}
