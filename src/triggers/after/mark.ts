import { isJsonObject, type JsonObject } from '../../core/json.ts'
import type { Occurrence, TriggerRef } from '../../core/occurrence.ts'

/** A mark that runs of several pipelines can share: a slot, or the content of a file. */
export interface Mark {
  /** `slot 2026-11-28T02:00:00.000Z`, or `file` and its SHA-256. */
  readonly text: string
  /** The schedule or the watched folder that the mark comes from. */
  readonly by: TriggerRef
}

/** The mark of a run, given the occurrence that the run (or the run it repeats) was created for. */
export function markOf(occurrence: Occurrence | undefined): Mark | undefined {
  if (!occurrence) return undefined
  const { pipeline, trigger, key, detail = {} } = occurrence
  const by = { pipeline, trigger }
  if (detail.runs !== undefined) return handedOn(detail)
  if (typeof detail.sha256 === 'string') return { text: `file ${detail.sha256}`, by }
  const [slot = ''] = key.split('#')
  return Number.isNaN(Date.parse(slot)) ? undefined : { text: `slot ${slot}`, by }
}

/** The mark that a run takes over from the runs that it came after. */
function handedOn({ mark }: JsonObject): Mark | undefined {
  if (!isJsonObject(mark)) return undefined
  return { text: String(mark.text), by: { pipeline: String(mark.pipeline), trigger: String(mark.trigger) } }
}

/** Converts a mark to its form in the detail of an occurrence. */
export function markDetail({ text, by }: Mark): JsonObject {
  return { text, ...by }
}
