import { literal } from '../population/sql.ts'
import { BLANKS } from './normalise-key.ts'

/** A day, or a date and time as in RFC 3339, where a blank may stand for the `T` and no offset means UTC. */
const TIMESTAMP =
  '[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[Tt ](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:[.][0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})?)?'

/** SQL of the UTC day of a timestamp, NULL when it is none; the session's time zone has to be UTC. */
export function utcDaySql(field: string): string {
  const text = `upper(trim(${field}, ${literal(BLANKS)}))`
  // Fractions of a second are of no matter to a day, and DuckDB takes only so many digits.
  const moment = `try_cast(regexp_replace(${text}, '[.][0-9]+', '') AS TIMESTAMPTZ)`
  return `CASE WHEN regexp_full_match(${text}, '${TIMESTAMP}') THEN (${moment})::DATE END`
}
