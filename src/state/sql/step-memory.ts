import { isSealed, NO_SECRETS, sealedText } from '../../core/create-sealing.ts'
import { isJsonObject, type Json, type JsonObject, parseJson, stringifyJson } from '../../core/json.ts'
import type { Sealing } from '../../core/sealing.ts'
import type { RecordedService } from '../../core/service-ref.ts'
import { sha256 } from '../../core/sha256.ts'
import type { StepMemory } from '../step-memory.ts'
import { rowOf, type Sql, send, type Work } from './work.ts'

/**
 * Stands for the unknown service of entries that older versions wrote. It is replaced when the profile of the entry is
 * used.
 */
export const UNKNOWN_SERVICE = ''

/** The step memory of one service. */
export function createStepMemory(sql: Sql, { here }: { here: RecordedService }): StepMemory {
  const service = here.service ?? UNKNOWN_SERVICE
  return {
    async get({ profile, pipeline, step }, sealing = NO_SECRETS) {
      const row = await sql.read(rowOf(GET, [profile, service, pipeline, stepOf(step, sealing)]))
      return row && entryIn(parseJson(String(row.data)), sealing)
    },
    async set({ profile, pipeline, step }, entry, sealing = NO_SECRETS) {
      const place = [profile, service, pipeline, stepOf(step, sealing)]
      await sql.write(() => send(SET, [...place, textOf(entry, sealing)]))
    },
  }
}

/**
 * A step as it is stored. A step with a secret is stored as a hash. If it were stored with a reference to the secret's
 * variable, the entry would be found even after the variable got another value.
 */
function stepOf(step: string, sealing: Sealing): string {
  return sealing.changes(step) ? `sha256 ${sha256(step)}` : step
}

/**
 * If the entry contains secrets, the text also has a hash of the entry. The hash shows whether the variables still have
 * the same values.
 */
function textOf(entry: JsonObject, sealing: Sealing): string {
  const sealed = sealedText(entry, sealing)
  if (!isSealed(sealed)) return sealed
  return stringifyJson([parseJson(sealed), hashOf(sealing.open(sealing.seal(entry)))])
}

/** If a variable has a different value now, `***` replaces what was sent. */
function entryIn(stored: Json, sealing: Sealing): JsonObject | undefined {
  const [entry, hash] = Array.isArray(stored) ? stored : [stored, undefined]
  if (!isJsonObject(entry)) return undefined
  const opened = sealing.open(entry)
  return hash === undefined || hash === hashOf(opened) ? opened : NO_SECRETS.open(entry)
}

function hashOf(entry: JsonObject): string {
  return sha256(stringifyJson(entry))
}

const GET = `SELECT data FROM audience.step_memory
  WHERE profile = $1 AND service = $2 AND pipeline = $3 AND step = $4`
const SET = `INSERT INTO audience.step_memory (profile, service, pipeline, step, data) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (profile, service, pipeline, step) DO UPDATE SET data = excluded.data`

/**
 * Moves the entries of an unknown service to the service that the profile itself names, ignoring the environment. An
 * entry stays where it is if that service already has an entry for the same step.
 */
export function* adoptEntries({ profile, service }: Required<RecordedService>): Work<void> {
  // Check first, because an update locks the file even if there is nothing to update.
  for (const { look, adopt } of ADOPTIONS)
    if (yield* rowOf(look, [profile, UNKNOWN_SERVICE])) yield* send(adopt, [profile, UNKNOWN_SERVICE, service])
}

const ADOPTIONS = [
  adoptionOf('step_memory', 'other.pipeline = known.pipeline AND other.step = known.step'),
  adoptionOf(
    'made',
    'other.kind = known.kind AND (other.id = known.id OR other.job = known.job OR other.request = known.request)',
  ),
]

function adoptionOf(table: string, isSame: string) {
  return {
    look: `SELECT 1 FROM audience.${table} WHERE profile = $1 AND service = $2 LIMIT 1`,
    adopt: `UPDATE audience.${table} AS known SET service = $3 WHERE profile = $1 AND service = $2
      AND NOT EXISTS (SELECT 1 FROM audience.${table} AS other
        WHERE other.profile = $1 AND other.service = $3 AND ${isSame})`,
  }
}
