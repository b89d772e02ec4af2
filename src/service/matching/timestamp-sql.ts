import { trimmedSql } from '../../contract/normalise-sql.ts'

/** A day, or a date and time as in RFC 3339, where a blank may replace the `T` and no offset means UTC. */
const TIMESTAMP =
  '[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[Tt ](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:[.][0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})?)?'

/** SQL for the UTC day of a timestamp, NULL if it is not a timestamp; the session's time zone must be UTC. */
export function utcDaySql(field: string): string {
  const text = `upper(${trimmedSql(field)})`
  // Fractions of a second do not change the day, and DuckDB accepts only a limited number of digits.
  const moment = `try_cast(regexp_replace(${text}, '[.][0-9]+', '') AS TIMESTAMPTZ)`
  return `CASE WHEN regexp_full_match(${text}, '${TIMESTAMP}') THEN (${moment})::DATE END`
}
