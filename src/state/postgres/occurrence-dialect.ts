import type { Redact } from '../../core/secrets.ts'
import { type OccurrenceDialect, occurrenceValues, putRows } from '../sql/occurrences.ts'

const TYPES = ['text', 'text', 'text', 'bigint', 'text', 'text', 'text', 'text', 'boolean']

/** One statement for all occurrences, because a trigger may catch up on thousands of slots. */
const ROWS = `SELECT * FROM unnest(${TYPES.map((type, index) => `$${index + 1}::${type}[]`).join(', ')})`

export function postgresOccurrenceDialect(redact: Redact): OccurrenceDialect {
  return {
    *put(occurrences, known) {
      if (occurrences.length === 0) return []
      const rows = occurrences.map((occurrence) => occurrenceValues(occurrence, redact))
      const columns = TYPES.map((_, column) => rows.map((row) => row[column]))
      return yield* putRows(ROWS, columns, known)
    },
    sinceTime: 'audience.occurrences AS o',
    caughtUp: `SELECT o.pipeline, o.trigger_name, count(*) AS rows FROM audience.occurrences AS o
        JOIN audience.runs USING (run_id)
      WHERE o.state = 'ran' AND o.at < $1 AND runs.submitted_at >= $1 GROUP BY o.pipeline, o.trigger_name`,
  }
}
