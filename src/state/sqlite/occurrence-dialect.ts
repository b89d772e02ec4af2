import type { Redact } from '../../core/secrets.ts'
import { type OccurrenceDialect, occurrenceValues, putRows } from '../sql/occurrences.ts'

const ROW = 'VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)'

export function sqliteOccurrenceDialect(redact: Redact): OccurrenceDialect {
  return {
    *put(occurrences, known) {
      const keys: string[] = []
      for (const occurrence of occurrences)
        keys.push(...(yield* putRows(ROW, occurrenceValues(occurrence, redact), known)))
      return keys
    },
    // Without the name of the index, SQLite would read all occurrences, in group order.
    sinceTime: 'occurrences AS o INDEXED BY occurrences_by_at',
    // Goes from the few new runs to their slots. The other way round, it would read all old slots.
    caughtUp: `SELECT o.pipeline, o.trigger_name, count(*) AS rows
      FROM runs CROSS JOIN occurrences AS o ON o.run_id = runs.run_id
      WHERE runs.submitted_at >= $1 AND o.state = 'ran' AND o.at < $1 GROUP BY o.pipeline, o.trigger_name`,
  }
}
