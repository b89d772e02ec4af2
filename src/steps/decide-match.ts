import type { Match } from '../contract/matches.ts'
import type { InputOf } from '../contract/operations.ts'
import { type AudienceError, failedError } from '../core/errors.ts'
import type { MatchMemory, MatchSplit } from './match-memory.ts'
import { shown } from './shown.ts'

/** The match that a step asks for. */
export type WantedMatch = InputOf<'matches.create'> & {
  readonly refresh?: 'auto' | 'always' | 'never'
  readonly testControl?: MatchSplit
}

/** What `matches.ensure` has to do. */
export type MatchPlan =
  | { readonly state: 'created'; readonly changed: readonly string[] }
  | { readonly state: 'refreshed' | 'unchanged'; readonly changed: readonly string[]; readonly matchId: string }

const FLAGS = [
  ['shareSegmentName', 'shareSegmentName'],
  ['accessBgIds', 'shareBgIds'],
  ['spi', 'spi'],
  ['returnUnmatchedBgIds', 'returnUnmatchedBgIds'],
] as const

/**
 * Decides what to do with a step's existing match. `build` is the segment's current build; a match of another or an
 * unknown build needs a refresh. Throws `match-conflict` if something differs that cannot be changed.
 */
export function decideMatch(
  input: WantedMatch,
  match: Match | undefined,
  { memory, build }: { memory: Pick<MatchMemory, 'matchId' | 'build'>; build: string | undefined },
): MatchPlan {
  if (!match) return { state: 'created', changed: [] }
  const { matchId } = match
  const conflicts = FLAGS.filter(([name, shownAs]) => {
    const is = shown(match[shownAs])
    return input[name] !== undefined && is !== undefined && is !== input[name]
  })
  if (conflicts.length > 0)
    throw conflict(
      match,
      conflicts.map(([name]) => `${name}: ${input[name]}`),
    )
  const isCurrent = build !== undefined && memory.matchId === matchId && memory.build === build
  const { refresh = 'auto' } = input
  const refreshes = refresh === 'always' || (refresh === 'auto' && !isCurrent)
  return { state: refreshes ? 'refreshed' : 'unchanged', changed: isCurrent ? [] : ['segment'], matchId }
}

function conflict({ matchId }: Match, wanted: readonly string[]): AudienceError {
  return failedError(
    'match-conflict',
    `match ${matchId} has the same segment, scopes, and partner or group, but not ${wanted.join(', ')}; that cannot be changed`,
    'delete the match so that it is made again, or make the step describe the existing match',
  )
}
