import { identifier } from '../../platform/sql-text.ts'
import type { Participant } from '../network/network.ts'
import { bgidOf, hexOf, type People } from './keys.ts'
import { hexThreshold } from './sql.ts'

/** One person in ten in a universe cannot be reached through any scope (decision 28). */
const SHARE_WITHOUT_SCOPE = 0.1
const SLICE_DIGITS = 4
const SLICES_OF_A_HASH = 32 / SLICE_DIGITS

/** The scopes with a column in a participant's universe: its own scopes and NONE. */
export function universeScopes(participant: Participant): string[] {
  return [...participant.deliveryScopes, 'NONE']
}

/**
 * A relation of the people that a participant can reach, with the columns bgid, one boolean per delivery scope, and
 * NONE. Each fact has its own slice of a hash of participant and person. The fact is true of the person if the slice is
 * below the share of people for whom it should be true.
 */
export function universeRelation(participant: Participant, who: People): string {
  const slice = (index: number) => {
    const hash = hexOf(who, `universe ${participant.id} ${Math.floor(index / SLICES_OF_A_HASH)}`)
    const first = 1 + (index % SLICES_OF_A_HASH) * SLICE_DIGITS
    return `substr(${hash}, ${first}, ${SLICE_DIGITS})`
  }
  const below = (index: number, share: number) => `${slice(index)} < '${hexThreshold(share, SLICE_DIGITS)}'`
  const scopes = participant.deliveryScopes.map((scope, index) => {
    const name = identifier(scope)
    return { name, sql: `scoped AND ${below(index + 2, reachOf(index))} AS ${name}` }
  })
  const none = scopes.length === 0 ? 'true' : `NOT (${scopes.map(({ name }) => name).join(' OR ')})`
  return `SELECT *, ${none} AS "NONE" FROM (
    SELECT bgid${scopes.map(({ sql }) => `, ${sql}`).join('')} FROM (
      SELECT i, ${bgidOf(who)} AS bgid, NOT ${below(1, SHARE_WITHOUT_SCOPE)} AS scoped
      FROM (SELECT range AS i FROM range(${who.people})) WHERE ${below(0, participant.universeCoverage)}))`
}

/**
 * The share of people that a scope reaches. The first scope of a participant reaches most of its people. Each further
 * scope reaches fewer.
 */
function reachOf(index: number): number {
  return Math.max(0.2, 0.8 - 0.12 * index)
}
