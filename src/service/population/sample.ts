import type { Signal } from '../../contract/enumerations.ts'
import { usageError } from '../../core/errors.ts'
import { literal } from '../../platform/sql-text.ts'
import type { Network } from '../network/network.ts'
import type { PeopleSession } from './database.ts'
import { INDEX_LIMIT, keyRelation } from './keys.ts'
import { writeRelation } from './write-aside.ts'

export interface SampleRequest {
  readonly signal: Signal
  /** The number of keys from the population. If the population has fewer keys, fewer are written. */
  readonly rows: number
  /** Another seed selects other keys. */
  readonly seed: number
  /** The number of additional keys that belong to no one; default: none. */
  readonly unknown?: number
  readonly target: string
}

/**
 * Writes a CSV file with keys of the population and a header. For IP, each row has a time at which the address was
 * valid. The same request gives the same bytes everywhere. For PARTNER_RECORD_ID, the keys are the ids of the first
 * participant in the network.
 */
export async function writeSampleFile(session: PeopleSession, network: Network, request: SampleRequest): Promise<void> {
  const { people } = network.population
  const unknown = request.unknown ?? 0
  // Not every index has a key for every signal, so the range is larger than the number of keys.
  const end = people + 64 + unknown * 8
  if (end > INDEX_LIMIT) {
    throw usageError(
      'sample-too-large',
      `too many unknown keys (${unknown}) for ${people} people`,
      `ask for at most ${Math.floor((INDEX_LIMIT - people - 64) / 8)}`,
    )
  }
  const known = drawn(network, request, [0, people], request.rows)
  const strange = drawn(network, request, [people, end], unknown)
  const sample = `SELECT * EXCLUDE (place) FROM (${known} UNION ALL ${strange}) ORDER BY place`
  await writeRelation(session, sample, { target: request.target, format: 'csv, HEADER' })
}

/** Distinct keys of a range of people, each with its place in an order that depends on the seed. */
function drawn(network: Network, request: SampleRequest, [from, to]: readonly [number, number], rows: number): string {
  const owner = network.participants[0]?.id ?? 0
  const place = `md5(concat(${literal(`${request.seed}:`)}, key))`
  const day = 'min_by(from_day, md5(concat(key, from_day)))'
  const time = request.signal === 'IP' ? `, strftime(${day} + INTERVAL 36 HOUR, '%Y-%m-%dT%H:%M:%SZ') AS timestamp` : ''
  return `(SELECT key AS ${request.signal.toLowerCase()}${time}, ${place} AS place
    FROM (${keyRelation(request.signal, network.population, owner, from, to)}) GROUP BY key ORDER BY place LIMIT ${rows})`
}
