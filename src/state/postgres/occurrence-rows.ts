import { type JsonObject, stringifyJson } from '../../core/json.ts'
import type { Occurrence } from '../../core/occurrence.ts'
import type { Redact } from '../../core/secrets.ts'
import type { Query } from './database.ts'

/**
 * Adds or replaces occurrences of different keys, within a transaction; an existing one in a state other than `due` stays
 * unchanged.
 */
export async function putOccurrences(query: Query, occurrences: readonly Occurrence[], redact: Redact): Promise<void> {
  if (occurrences.length === 0) return
  const column = <T>(of: (occurrence: Occurrence) => T) => occurrences.map(of)
  await query(
    `INSERT INTO audience.occurrences AS o (pipeline, trigger_name, key, at, state, reason, run_id, detail, open)
      SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[],
        $8::text[], $9::boolean[])
      ON CONFLICT (pipeline, trigger_name, key) DO UPDATE SET
        at = excluded.at, state = excluded.state, reason = excluded.reason, run_id = excluded.run_id,
        detail = excluded.detail, open = excluded.open
      WHERE o.state = 'due'`,
    [
      column(({ pipeline }) => pipeline),
      column(({ trigger }) => trigger),
      column(({ key }) => key),
      column(({ at }) => at),
      column(({ state }) => state),
      column(({ reason }) => (reason === undefined ? null : redact(reason))),
      column(({ runId }) => runId ?? null),
      column(({ detail }) => (detail === undefined ? null : detailText(detail, redact))),
      column(({ open }) => open ?? false),
    ],
  )
}

export function detailText(detail: JsonObject, redact: Redact): string {
  return redact(stringifyJson(detail))
}
