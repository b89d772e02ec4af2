import type { Signal } from '../../contract/enumerations.ts'
import type { Participant } from '../network/network.ts'
import { bgidOf, hexOf, keyRelation, type People } from './keys.ts'
import { hexThreshold } from './sql.ts'

/** The key of a graph lookup: the normalised key, or its SHA-256 for keys that were hashed elsewhere. */
export type GraphIndex = 'key' | 'hash'

/**
 * A relation (key, bgid) or (hash, bgid), for IP with from_day and to_day (exclusive): what a participant's own
 * identity graph knows about one signal. Hashes are lower-case hex: DuckDB 1.5 loses equal rows of a binary column
 * whose Parquet pages have a dictionary.
 */
export function graphRelation(participant: Participant, signal: Signal, index: GraphIndex, who: People): string {
  const lookUp = index === 'key' ? 'key' : 'sha256(key) AS hash'
  const period = signal === 'IP' ? ', from_day, to_day' : ''
  const known = `substr(${hexOf(who, `graph ${participant.id} ${signal}`)}, 1, 8) < '${hexThreshold(participant.graphCoverage, 8)}'`
  return `SELECT ${lookUp}${period}, ${bgidOf(who)} AS bgid
    FROM (${keyRelation(signal, who, participant.id, 0, who.people)}) WHERE ${known} ORDER BY ${index}, bgid`
}
