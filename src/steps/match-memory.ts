import type { JsonObject } from '../core/json.ts'
import type { LedgerKey } from '../core/ledger.ts'
import { ledgerKey, remember } from './ledger-key.ts'
import type { MatchesEnsureInput } from './matches-ensure-schema.ts'
import type { StepServices } from './runnable-step-type.ts'
import { counterpartOf } from './same-match.ts'

/** What `matches.ensure` remembers of its match. */
export interface MatchMemory {
  /** Undefined while only its job is known. */
  readonly matchId: string | undefined
  /** The id that it shows, where that is known. */
  readonly shownId: string | undefined
  /** The job that a run started and has not seen ending. */
  readonly jobId: string | undefined
  /** The build of the segment that the match is of, as far as that is known. */
  readonly build: string | undefined
}

/** Where the match of a step is remembered. */
export function matchKey(
  input: MatchesEnsureInput,
  place: Parameters<typeof ledgerKey>[0],
  services: Pick<StepServices, 'profile'>,
): LedgerKey {
  const scopes = [...new Set(input.deliveryScopes)].sort().join(',')
  return ledgerKey(place, services, `${input.segmentId} ${counterpartOf(input)} ${scopes}`)
}

export function matchMemory(entry: JsonObject | undefined): MatchMemory {
  const { matchId, shownId, jobId, build } = entry ?? {}
  const textIn = (value: unknown) => (typeof value === 'string' ? value : undefined)
  return { matchId: textIn(matchId), shownId: textIn(shownId), jobId: textIn(jobId), build: textIn(build) }
}

/** Remembers the match of a step, and with whom it is, because the service need not show that (decision 137). */
export async function rememberMatch(
  input: MatchesEnsureInput,
  key: LedgerKey,
  { matchId, shownId = matchId, jobId, build }: MatchMemory,
  services: StepServices,
): Promise<void> {
  if (shownId !== undefined) {
    await remember(services, counterpartKey(shownId, services), { counterpart: counterpartOf(input) })
  }
  await remember(services, key, {
    ...(matchId !== undefined && { matchId }),
    ...(shownId !== undefined && { shownId }),
    ...(jobId !== undefined && { jobId }),
    build: build ?? null,
  })
}

/** With whom a match is that one of our steps made or took over, by the id that it shows; undefined for all others. */
export function counterpartOfMatch(
  shownId: string,
  services: Pick<StepServices, 'ledger' | 'profile'>,
): string | undefined {
  const counterpart = services.ledger.get(counterpartKey(shownId, services))?.counterpart
  return typeof counterpart === 'string' ? counterpart : undefined
}

/** Of no pipeline, because any of them may have made it. */
function counterpartKey(shownId: string, { profile }: Pick<StepServices, 'profile'>): LedgerKey {
  return { profile, pipeline: '', step: `match ${shownId}` }
}
