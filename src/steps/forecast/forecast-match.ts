import type { JsonObject } from '../../core/json.ts'
import type { Forecast, ForecastQuestion } from '../../pipeline/forecast.ts'
import { decideMatch } from '../decide-match.ts'
import { findOwnMatch } from '../find-own-match.ts'
import { matchKey, matchMemory } from '../match-memory.ts'
import { isAtRest } from '../match-rest.ts'
import type { MatchesEnsureInput } from '../matches-ensure-schema.ts'
import { resolveScopes } from '../resolve-scopes.ts'
import { buildOf } from '../segment-build.ts'
import type { ForecastDeps } from './forecast-deps.ts'
import { requestOf } from './request-of.ts'

/** Forecasts what `matches.ensure` would do now, with the segment in its present state. */
export async function forecastMatch(question: ForecastQuestion, deps: ForecastDeps): Promise<Forecast> {
  const given = question.input as unknown as MatchesEnsureInput
  const deliveryScopes = [...(await resolveScopes(given, deps))]
  const input = { ...given, deliveryScopes }
  const memory = matchMemory(deps.stepMemory.get(matchKey(input, question, deps)))
  const segment = await deps.api.segments.get({ id: input.segmentId }, deps)
  const found = await findOwnMatch(input, memory, undefined, deps)
  if (found.state === 'ambiguous') return nothingYet('afterRun', `${found.why}: a person has to decide`)
  if (found.state === 'busy') return nothingYet('wait', `job ${found.jobId} of an earlier run goes on`)
  const match = found.state === 'found' ? found.match : undefined
  const decided = decideMatch(input, match, { memory, build: buildOf(segment, deps) })
  const isRebuilt = question.rebuilt.has(input.segmentId) && input.refresh !== 'never'
  const plan = decided.state === 'unchanged' && isRebuilt ? { ...decided, state: 'refreshed' as const } : decided
  if (plan.state === 'created') {
    const { refresh: _refresh, ...rest } = question.input
    const fields = { ...rest, deliveryScopes }
    const why = 'there is no match of this segment, partner or group, and scopes'
    return { action: 'create', why, requests: [requestOf('matches.create', fields)], outputs: {}, complete: false }
  }
  const { matchId } = plan
  if (match && !(await isAtRest(match, deps))) {
    return { ...nothingYet('wait', 'a job works on the match'), outputs: { matchId } }
  }
  if (plan.state === 'refreshed') {
    const why =
      input.refresh === 'always'
        ? '`refresh: always`'
        : isRebuilt
          ? 'its segment is built anew'
          : 'its segment was built since'
    const requests = [requestOf('matches.refresh', { matchId })]
    return { action: 'refresh', why, changed: plan.changed, requests, outputs: { matchId }, complete: false }
  }
  const shown = { ...match } as JsonObject
  return {
    action: 'leave',
    requests: [],
    outputs: { ...shown, matchId, action: 'unchanged', changed: [] },
    complete: true,
  }
}

function nothingYet(action: 'wait' | 'afterRun', why: string): Forecast {
  return { action, why, requests: [], outputs: {}, complete: false }
}
