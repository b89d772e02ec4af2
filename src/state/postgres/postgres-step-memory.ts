import { isJsonObject, parseJson, stringifyJson } from '../../core/json.ts'
import type { Redact } from '../../core/secrets.ts'
import type { RecordedService } from '../../core/service-ref.ts'
import { UNKNOWN_SERVICE } from '../sql/unknown-service.ts'
import type { StepMemory } from '../step-memory.ts'
import type { Database } from './database.ts'

/** The step memory of one service in the database. */
export function createStepMemory(
  db: Database,
  { redact, here }: { readonly redact: Redact; readonly here: RecordedService },
): StepMemory {
  const service = here.service ?? UNKNOWN_SERVICE
  return {
    async get({ profile, pipeline, step }) {
      const row = await db.row(
        `SELECT data FROM audience.step_memory
          WHERE profile = $1 AND service = $2 AND pipeline = $3 AND step = $4`,
        [profile, service, pipeline, step],
      )
      const entry = row && parseJson(String(row.data))
      return isJsonObject(entry) ? entry : undefined
    },
    async set({ profile, pipeline, step }, entry) {
      await db.query(
        `INSERT INTO audience.step_memory (profile, service, pipeline, step, data) VALUES ($1, $2, $3, $4, $5)
          ON CONFLICT (profile, service, pipeline, step) DO UPDATE SET data = excluded.data`,
        [profile, service, pipeline, step, redact(stringifyJson(entry))],
      )
    },
  }
}

/** Entries of an unknown service, which came from an older embedded state, become those of the profile's service. */
export async function adoptMemory(db: Database, profile: string, service: string): Promise<void> {
  await db.query(
    `UPDATE audience.step_memory AS known SET service = $2 WHERE profile = $1 AND service = $3
      AND NOT EXISTS (SELECT 1 FROM audience.step_memory AS other WHERE other.profile = $1 AND other.service = $2
        AND other.pipeline = known.pipeline AND other.step = known.step)`,
    [profile, service, UNKNOWN_SERVICE],
  )
}
