import type { Job } from '../../../src/contract/job.ts'
import type { Match } from '../../../src/contract/matches.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { matchKey } from '../../../src/steps/match-memory.ts'
import { answeringService } from './answering-service.ts'

/** A match that a step wants, and what the step remembers about it. */
export const INPUT = {
  ...{ segmentId: 's', groupId: '9', deliveryScopes: ['CABLE'] },
  ...{ shareSegmentName: false, accessBgIds: false },
}
export const PLACE = { pipeline: 'nightly', stepId: 'it' }
export const MATCH: Match = {
  ...{ matchId: '7', segmentId: 's', status: 'FINISHED', deliveryScope: ['CABLE'], matchJobId: '4' },
}
/** The segment is built from this file. */
export const KNOWN = { matchId: '7', shownId: '7', build: 'a.csv' }
const MADE: Job = { id: '5', status: 'SUCCESS', matchId: '7' }
const STARTED = { id: '5', status: 'PENDING' }

/** A service where match 7 looks like this. It is listed if the step does not remember it. */
export async function matchService(
  remembered: JsonObject | undefined,
  { shows = {}, isListed = false, answers = {} }: Partial<MatchShows> = {},
) {
  const match = { ...MATCH, ...shows }
  const service = answeringService(
    {
      jobs: [MADE, { ...MADE, id: '4' }],
      matches: { 7: match },
      segments: { s: { id: 's', segmentName: 'Autos', segmentFileName: 'a.csv' } },
      listed: { 'matches.list': isListed ? [match] : [] },
    },
    { 'matches.create': STARTED, 'matches.refresh': STARTED, 'matches.testControl': STARTED, ...answers },
  )
  const key = matchKey(INPUT, PLACE, service)
  if (remembered) await service.stepMemory.set(key, remembered)
  return { ...service, memory: () => service.stepMemory.get(key) }
}

interface MatchShows {
  readonly shows: Partial<Match>
  readonly isListed: boolean
  readonly answers: Parameters<typeof answeringService>[1]
}
