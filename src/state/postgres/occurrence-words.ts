import type { Redact } from '../../core/secrets.ts'
import { OCCURRENCE_COLUMNS, type OccurrenceWords, occurrenceValues, UNLESS_ACCOUNTED_FOR } from '../sql/occurrences.ts'
import { send } from '../sql/work.ts'

const TYPES = ['text', 'text', 'text', 'bigint', 'text', 'text', 'text', 'text', 'boolean']

/** One statement for all: a trigger may catch up on thousands of slots. */
const PUT = `INSERT INTO audience.occurrences AS o (${OCCURRENCE_COLUMNS})
  SELECT * FROM unnest(${TYPES.map((type, index) => `$${index + 1}::${type}[]`).join(', ')})
  ${UNLESS_ACCOUNTED_FOR}`

export function occurrenceWords(redact: Redact): OccurrenceWords {
  return {
    *put(occurrences) {
      if (occurrences.length === 0) return
      const rows = occurrences.map((occurrence) => occurrenceValues(occurrence, redact))
      yield* send(
        PUT,
        TYPES.map((_, column) => rows.map((row) => row[column])),
      )
    },
    sinceTime: 'audience.occurrences AS o',
    caughtUp: `SELECT o.pipeline, o.trigger_name, count(*) AS rows FROM audience.occurrences AS o
        JOIN audience.runs USING (run_id)
      WHERE o.state = 'ran' AND o.at < $1 AND runs.submitted_at >= $1 GROUP BY o.pipeline, o.trigger_name`,
  }
}
