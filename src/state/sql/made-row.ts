import { isJsonObject, parseJson, stringifyJson } from '../../core/json.ts'
import type { Redact } from '../../core/secrets.ts'
import type { MadeThing } from '../made-things.ts'

type Row = Readonly<Record<string, unknown>>

/** The columns of the table `made` that a thing fills, in the order of `madeValues`. */
export const MADE_COLUMNS = 'kind, id, job, request, name, about, pipeline, step, run_id, at, found'

/** A row of the table `made`. */
export function madeOf(row: Row): MadeThing {
  const about = parseJson(String(row.about))
  return {
    // Only the store writes this column.
    kind: String(row.kind) as MadeThing['kind'],
    id: typeof row.id === 'string' ? row.id : undefined,
    job: typeof row.job === 'string' ? row.job : undefined,
    request: typeof row.request === 'string' ? row.request : undefined,
    name: String(row.name),
    about: isJsonObject(about) ? about : {},
    pipeline: String(row.pipeline),
    step: String(row.step),
    runId: String(row.run_id),
    at: Number(row.at),
    found: row.found === 1 || row.found === true,
  }
}

/** The values of `MADE_COLUMNS`; `found` is 1 or 0. */
export function madeValues(thing: MadeThing, redact: Redact): (string | number | null)[] {
  const { kind, id = null, job = null, request = null, name, about, pipeline, step, runId, at, found } = thing
  return [kind, id, job, request, redact(name), redact(stringifyJson(about)), pipeline, step, runId, at, found ? 1 : 0]
}
