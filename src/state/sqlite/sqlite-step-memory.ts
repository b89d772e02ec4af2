import type { DatabaseSync } from 'node:sqlite'
import { isJsonObject, parseJson, stringifyJson } from '../../core/json.ts'
import type { Redact } from '../../core/secrets.ts'
import type { RecordedService } from '../../core/service-ref.ts'
import { UNKNOWN_SERVICE } from '../sql/unknown-service.ts'
import type { StepMemory } from '../step-memory.ts'
import { adoptEntries } from './adopt-entries.ts'
import type { CommitQueue } from './commit-queue.ts'

/** The step memory of one service in the state database. */
export function createSqliteStepMemory(state: {
  readonly db: DatabaseSync
  readonly queue: CommitQueue
  readonly redact: Redact
  readonly here: RecordedService
  /** The service that the profile names without the environment: entries of an unknown service become its entries. */
  readonly meantByProfile: string | undefined
}): StepMemory {
  const { db, queue, redact, here, meantByProfile } = state
  const service = here.service ?? UNKNOWN_SERVICE
  const select = db.prepare(
    'SELECT data FROM step_memory WHERE profile = ? AND service = ? AND pipeline = ? AND step = ?',
  )
  const replace = db.prepare(
    'INSERT OR REPLACE INTO step_memory (profile, service, pipeline, step, data) VALUES (?, ?, ?, ?, ?)',
  )
  if (meantByProfile !== undefined) adoptEntries(db, 'step_memory', { profile: here.profile, service: meantByProfile })
  return {
    async get({ profile, pipeline, step }) {
      const row = select.get(profile, service, pipeline, step)
      const entry = row && parseJson(String(row.data))
      return isJsonObject(entry) ? entry : undefined
    },
    set: ({ profile, pipeline, step }, entry) =>
      queue.commit(() => {
        replace.run(profile, service, pipeline, step, redact(stringifyJson(entry)))
      }),
  }
}
