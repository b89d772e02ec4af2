import { NO_SECRETS, sealedText } from '../../core/create-sealing.ts'
import { isJsonObject, parseJson } from '../../core/json.ts'
import type { Sealing } from '../../core/sealing.ts'
import type { RecordedService } from '../../core/service-ref.ts'
import { completed, isSameEntry, type MadeThing, type MadeThings } from '../made-things.ts'
import { textColumn } from './run-row.ts'
import { UNKNOWN_SERVICE } from './step-memory.ts'
import { type Row, rowOf, rowsOf, type Sql, send, type Work } from './work.ts'

/**
 * The resources that runs made at one service. `lock` prevents others from noting resources with that name until the
 * transaction ends.
 */
export function createMadeThings(
  sql: Sql,
  { here, lock }: { here: RecordedService; lock?: (name: string) => Work<unknown> },
): MadeThings {
  const place = [here.profile, here.service ?? UNKNOWN_SERVICE] as const

  /** The row to write for a resource; undefined if it is already stored. */
  function* changeOf(thing: MadeThing, sealing: Sealing): Work<MadeThing | undefined> {
    const known = (yield* rowsOf(SAME, keysOf(thing))).map((row) => madeOf(row, sealing))
    const whole = completed(known, thing)
    const [only, ...more] = known
    return more.length === 0 && only && isSameEntry(only, whole) ? undefined : whole
  }

  function* note(thing: MadeThing, sealing: Sealing): Work<void> {
    if (lock) yield* lock(`made ${place.join(' ')} ${thing.kind}`)
    const whole = yield* changeOf(thing, sealing)
    if (!whole) return
    yield* send(`DELETE ${SAME_PLACE}`, keysOf(whole))
    yield* send(INSERT, [...place, ...madeValues(whole, sealing)])
  }

  const keysOf = ({ kind, id, job, request }: MadeThing) => [...place, kind, id, job, request]

  return {
    async note(thing, sealing = NO_SECRETS) {
      // Checks first, because most notes are already stored, and a transaction waits for the disk even if it writes
      // nothing.
      if (await sql.read(changeOf(thing, sealing))) await sql.transaction(() => note(thing, sealing))
    },
    forget: async (request) => void (await sql.write(() => send(FORGET, [...place, request]))),
    async byId(kind, id, sealing = NO_SECRETS) {
      const row = await sql.read(rowOf(`SELECT ${COLUMNS} ${AT_PLACE} AND id = $4`, [...place, kind, id]))
      return row && madeOf(row, sealing)
    },
    async named(kind, name, sealing = NO_SECRETS) {
      const query = `SELECT ${COLUMNS} ${AT_PLACE} AND name = $4 ${OLDEST_FIRST}`
      return (await sql.read(rowsOf(query, [...place, kind, nameOf(name, sealing)]))).map((row) => madeOf(row, sealing))
    },
  }
}

const COLUMNS = 'kind, id, job, request, name, about, pipeline, step, run_id, at, found'
const AT_PLACE = 'FROM audience.made WHERE profile = $1 AND service = $2 AND kind = $3'
const SAME_PLACE = `${AT_PLACE} AND (id = $4 OR job = $5 OR request = $6)`
const OLDEST_FIRST = 'ORDER BY at'
const SAME = `SELECT ${COLUMNS} ${SAME_PLACE} ${OLDEST_FIRST}`
const INSERT = `INSERT INTO audience.made (profile, service, ${COLUMNS})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`
const FORGET = `DELETE FROM audience.made
  WHERE profile = $1 AND service = $2 AND request = $3 AND id IS NULL AND job IS NULL`

function madeOf(row: Row, { open }: Sealing): MadeThing {
  const about = parseJson(String(row.about))
  return {
    // Only the store writes this column.
    kind: String(row.kind) as MadeThing['kind'],
    id: textColumn(row.id),
    job: textColumn(row.job),
    request: textColumn(row.request),
    name: open(String(row.name)),
    about: isJsonObject(about) ? open(about) : {},
    pipeline: String(row.pipeline),
    step: String(row.step),
    runId: String(row.run_id),
    at: Number(row.at),
    found: Boolean(row.found),
  }
}

/** The values of `COLUMNS`. */
function madeValues(thing: MadeThing, sealing: Sealing): readonly unknown[] {
  const { kind, id, job, request, name, about, pipeline, step, runId, at, found } = thing
  return [kind, id, job, request, nameOf(name, sealing), sealedText(about, sealing), pipeline, step, runId, at, found]
}

/** A name as it is stored. Text in PostgreSQL cannot contain the character 0. */
function nameOf(name: string, sealing: Sealing): string {
  return sealing.seal(name).replaceAll('\0', '\uFFFD')
}
