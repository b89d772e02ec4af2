import { identifier } from '../../platform/sql-text.ts'
import type { MatchWork } from '../jobs/job.ts'
import { type Network, type Participant, participantOf } from '../network/network.ts'
import type { PeopleSession } from '../population/database.ts'
import type { Population } from '../population/population.ts'
import { parquet } from '../population/sql.ts'
import { universeScopes } from '../population/universe.ts'
import { writeRelation } from '../population/write-aside.ts'

export interface MatchTask
  extends Readonly<Pick<MatchWork, 'resultContent' | 'uploadSignal' | 'participants' | 'scopes'>> {
  readonly segmentFile: string
  readonly target: string
}

/**
 * Makes a match: a file with the column bgid. For a BGID segment, it contains the people of the segment. For a HASHED
 * segment, it contains the people whose keys a participant's own graph knows. In both cases the people must be in the
 * universe of that participant with one of the scopes. For several participants, the file contains the union of their
 * people. There are never separate figures for the participants ("Matching (S)").
 */
export async function matchPeople(
  session: PeopleSession,
  population: Population,
  network: Network,
  request: MatchTask,
): Promise<{ matchCount: number }> {
  const reached: { participant: Participant; relation: string }[] = []
  for (const id of new Set(request.participants)) {
    const participant = participantOf(network, id)
    const scopes = universeScopes(participant).filter((scope) => request.scopes.includes(scope))
    if (scopes.length === 0) continue
    const universe = parquet(await population.universe(participant))
    reached.push({ participant, relation: `SELECT bgid FROM ${universe} WHERE ${scopes.map(identifier).join(' OR ')}` })
  }
  const segment = parquet(request.segmentFile)
  const content =
    request.resultContent === 'BGID'
      ? `SELECT bgid FROM ${segment} WHERE bgid IN (${union(reached.map(({ relation }) => relation))})`
      : `SELECT DISTINCT bgid FROM (${union(
          await Promise.all(
            reached.map(async ({ participant, relation }) => {
              const graph = parquet(await population.graph(participant, request.uploadSignal, 'hash'))
              return `${lookedUp(graph, segment, request)} AND bgid IN (${relation})`
            }),
          ),
        )})`
  return { matchCount: await writeRelation(session, content, request) }
}

function lookedUp(graph: string, segment: string, { uploadSignal }: MatchTask): string {
  return uploadSignal === 'IP'
    ? `SELECT bgid FROM ${graph} AS graph JOIN ${segment} AS segment USING (hash) WHERE day >= from_day AND day < to_day`
    : `SELECT bgid FROM ${graph} WHERE hash IN (SELECT hash FROM ${segment})`
}

function union(relations: readonly string[]): string {
  return relations.length === 0 ? 'SELECT NULL::VARCHAR AS bgid WHERE false' : relations.join(' UNION ALL ')
}
