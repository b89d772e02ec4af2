import { isJsonObject, type JsonObject } from '../core/json.ts'
import type { MemoryKey } from '../state/step-memory.ts'
import type { StepServices } from './define-step.ts'
import { memoryKey, remember } from './memory-key.ts'
import { counterpartOf, type MatchRequest } from './same-match.ts'

/** A test and control split; a percentage that is left out stays as it is (decision 149). */
export interface MatchSplit {
  readonly shaveOffPercent?: number
  readonly controlHoldoutPercent?: number
}

/** What `matches.ensure` remembers about its match. */
export interface MatchMemory {
  /** Undefined while only its job is known. */
  readonly matchId: string | undefined
  /** The id that the match shows, if known. */
  readonly shownId: string | undefined
  /** The job that a run started, if that run did not see the job end. */
  readonly jobId: string | undefined
  /** The segment build that the match was made from, if known. */
  readonly build: string | undefined
  /** The split of the match into test and control, if known. */
  readonly split: MatchSplit | undefined
  /**
   * The approver that the match showed, which may identify its partner or group. Undefined if it showed none, and in
   * entries of older versions.
   */
  readonly approver: string | undefined
}

/** The step memory key of a step's match. */
export function matchKey(
  input: MatchRequest,
  place: Parameters<typeof memoryKey>[0],
  services: Pick<StepServices, 'profile'>,
): MemoryKey {
  const scopes = [...new Set(input.deliveryScopes)].sort().join(',')
  return memoryKey(place, services, `${input.segmentId} ${counterpartOf(input)} ${scopes}`)
}

export function matchMemory(entry: JsonObject | undefined): MatchMemory {
  const { matchId, shownId, jobId, build, split, approver } = entry ?? {}
  const textIn = (value: unknown) => (typeof value === 'string' ? value : undefined)
  return {
    matchId: textIn(matchId),
    shownId: textIn(shownId),
    jobId: textIn(jobId),
    build: textIn(build),
    split: isJsonObject(split) ? split : undefined,
    approver: textIn(approver),
  }
}

/** Remembers the match of a step. */
export async function rememberMatch(
  key: MemoryKey,
  { matchId, shownId = matchId, jobId, build, split, approver }: MatchMemory,
  services: StepServices,
): Promise<void> {
  await remember(services, key, {
    matchId,
    shownId,
    jobId,
    build: build ?? null,
    split: split && { ...split },
    approver,
  })
}
