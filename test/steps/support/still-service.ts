import type { ApiClient } from '../../../src/adapter/api-client.ts'
import { ApiError } from '../../../src/adapter/api-error.ts'
import type { Activation } from '../../../src/contract/activations.ts'
import type { Job } from '../../../src/contract/job.ts'
import type { Match } from '../../../src/contract/matches.ts'
import type { Segment } from '../../../src/contract/segments.ts'
import { fakeClock } from '../../adapter/fake-clock.ts'
import { memoryMadeThings } from './memory-made-things.ts'
import { memoryStepMemory } from './memory-step-memory.ts'

/** What a service shows. */
interface Shown {
  readonly jobs?: readonly Job[]
  /** The answers to reads; the key is the id in the path. */
  readonly matches?: Readonly<Record<string, Match>>
  readonly activations?: Readonly<Record<string, Activation>>
  readonly segments?: Readonly<Record<string, Segment>>
  /** What the lists show. */
  readonly listed?: Readonly<Record<string, readonly object[]>>
}

/** The dependencies of look-ups, for a service that always shows the same. `reads` has the ids that were read. */
export function stillService({ jobs = [], matches = {}, activations = {}, segments = {}, listed = {} }: Shown) {
  const reads: string[] = []
  const read = async <T>(path: string, found: T | undefined) => {
    reads.push(path)
    if (found !== undefined) return found
    throw new ApiError(
      { operation: 'get', method: 'GET', path },
      { code: 'not-found', outcome: 'rejected', status: 404 },
    )
  }
  const api = {
    jobs: {
      get: ({ jobId }: { jobId: string }) =>
        read(
          `job ${jobId}`,
          jobs.find(({ id }) => id === jobId),
        ),
    },
    matches: { get: ({ matchId }: { matchId: string }) => read(`match ${matchId}`, matches[matchId]) },
    activations: { get: ({ id }: { id: string }) => read(`activation ${id}`, activations[id]) },
    segments: { get: ({ id }: { id: string }) => read(`segment ${id}`, segments[id]) },
    async *items(operation: string) {
      yield* listed[operation] ?? []
    },
  }
  return {
    ...{ api: api as unknown as ApiClient, reads, clock: fakeClock(), signal: new AbortController().signal },
    ...{ made: memoryMadeThings(), stepMemory: memoryStepMemory(), profile: 'test' },
  }
}
