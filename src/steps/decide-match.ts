import { TERMINAL_MATCH_STATUSES } from '../contract/enumerations.ts'
import type { Match } from '../contract/matches.ts'
import { AudienceError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'
import type { MatchesEnsureInput } from './matches-ensure-schema.ts'

/** What `matches.ensure` has to do. */
export type MatchPlan =
  | { readonly state: 'created'; readonly changed: readonly string[] }
  | { readonly state: 'refreshed' | 'unchanged'; readonly changed: readonly string[]; readonly matchId: string }
  /** A job works on the match: look again when it has ended. */
  | { readonly state: 'busy'; readonly matchId: string }

const FLAGS = [
  ['shareSegmentName', 'shareSegmentName'],
  ['accessBgIds', 'shareBgIds'],
  ['spi', 'spi'],
  ['returnUnmatchedBgIds', 'returnUnmatchedBgIds'],
] as const

/**
 * Chooses among the matches of the same segment, approver and scopes: the remembered one, else the newest; what failed
 * or was rejected counts as none. `build` is what the segment holds now; a match is of another build, or of one that
 * nobody remembers, until it is refreshed. Throws `match-conflict` when what cannot be changed differs.
 */
export function decideMatch(
  input: MatchesEnsureInput,
  same: readonly Match[],
  { remembered, build }: { remembered: JsonObject | undefined; build: string | undefined },
): MatchPlan {
  const usable = same.filter(({ status }) => status !== 'FAILED' && status !== 'REJECTED')
  const match = usable.find(({ matchId }) => matchId === remembered?.matchId) ?? usable.at(-1)
  if (!match) return { state: 'created', changed: [] }
  const { matchId, status } = match
  const conflicts = FLAGS.filter(
    ([name, shownAs]) => input[name] !== undefined && match[shownAs] !== undefined && match[shownAs] !== input[name],
  )
  if (conflicts.length > 0)
    throw conflict(
      match,
      conflicts.map(([name]) => `${name}: ${input[name]}`),
    )
  if (!TERMINAL_MATCH_STATUSES.some((terminal) => terminal === status)) return { state: 'busy', matchId }
  const isCurrent = build !== undefined && remembered?.matchId === matchId && remembered.build === build
  const { refresh = 'auto' } = input
  const refreshes = refresh === 'always' || (refresh === 'auto' && !isCurrent)
  return { state: refreshes ? 'refreshed' : 'unchanged', changed: isCurrent ? [] : ['segment'], matchId }
}

function conflict({ matchId }: Match, wanted: readonly string[]): AudienceError {
  return new AudienceError({
    code: 'match-conflict',
    kind: 'failed',
    message: `match ${matchId} is of the same segment, approver and scopes, but not with ${wanted.join(', ')}; that cannot be changed`,
    hint: 'delete the match to have it made anew, or make the step say what it is',
  })
}
