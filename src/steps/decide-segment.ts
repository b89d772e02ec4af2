import type { InputOf } from '../contract/operations.ts'
import type { Segment } from '../contract/segments.ts'
import { failedError } from '../core/errors.ts'
import type { FieldChange } from '../core/format/field-change.ts'
import { isJsonObject, type JsonObject } from '../core/json.ts'
import { fieldChanges } from './field-changes.ts'
import { isKeptAs } from './made-other.ts'
import { shown } from './shown.ts'

/** The partners with whom a step shares its segment. */
export type WantedShares = {
  readonly shareWith?: readonly number[]
  readonly shareSegmentName?: boolean
}

/** The segment that a step asks for. */
export type WantedSegment = InputOf<'segments.create'> &
  WantedShares & { readonly refresh?: 'auto' | 'always' | 'never' }

/** What `segments.ensure` has to do. */
export type SegmentPlan =
  | { readonly action: 'created'; readonly changed: readonly string[] }
  | {
      readonly action: 'updated' | 'refreshed' | 'unchanged'
      readonly changed: readonly string[]
      readonly segmentId: string
      /** Whether metadata must be written, even if the segment is also refreshed. */
      readonly update: boolean
    }

const METADATA = ['segmentName', 'cpm', 'dataOwner', 'category', 'subCategory', 'description', 'spi'] as const
type TextField = (typeof METADATA)[number] | 'segmentFileName'
const FIXED = ['uploadSignal', 'resultContent', 'providerId', 'uploadDateWithSignals'] as const

/**
 * Compares what a step wants with the existing segment. A field that the service does not show has its last remembered
 * value; if nothing is remembered, it counts as different (decision 48). A text counts as equal if the wanted text was
 * sent and the service still shows the form that it then gave to that text (decision 141). Fields that the step does
 * not give are ignored. Throws `segment-conflict` if a field differs that cannot be changed.
 */
export function decideSegment(
  input: WantedSegment,
  segment: Segment | undefined,
  remembered: JsonObject | undefined,
): SegmentPlan {
  if (!segment) return { action: 'created', changed: [] }
  const { id: segmentId } = segment
  const fixed = FIXED.filter((field) => shown(segment[field]) !== undefined && differs(input[field], segment[field]))
  if (fixed.length > 0) throw conflict(input, segment, fixed)
  const { own, sent, shows } = knownOf(segment, remembered)
  const forms = isJsonObject(own?.forms) ? own.forms : {}
  const isAsSent = (field: TextField, before: unknown) =>
    input[field] === before && forms[field] !== undefined && forms[field] === segment[field]
  const metadata = METADATA.filter((field) => differs(input[field], shows(field)) && !isAsSent(field, sent[field]))
  const isNewFile =
    shows('segmentFileName') !== input.segmentFileName && !isAsSent('segmentFileName', own?.segmentFileName)
  const { refresh = 'auto' } = input
  const refreshes = refresh === 'always' || (refresh === 'auto' && isNewFile)
  const changed = [...metadata, ...(isNewFile ? ['segmentFileName'] : [])]
  const update = metadata.length > 0
  return { action: refreshes ? 'refreshed' : update ? 'updated' : 'unchanged', changed, segmentId, update }
}

/** What is known about a segment: what the service shows or, if it does not show a field, what was last sent. */
function knownOf(segment: Segment, remembered: JsonObject | undefined) {
  const own = remembered?.segmentId === segment.id ? remembered : undefined
  const sent: JsonObject = isJsonObject(own?.metadata) ? own.metadata : {}
  const shows = (field: TextField) => {
    if (field === 'segmentFileName') return shown(segment.segmentFileName) ?? own?.segmentFileName
    return segment[field] === undefined ? sent[field] : segment[field]
  }
  return { own, sent, shows }
}

/** The fields of a segment that the plan changes, with their current values if these are known. */
export function segmentChanges(
  { changed }: SegmentPlan,
  input: WantedSegment,
  segment: Segment | undefined,
  remembered: JsonObject | undefined,
): FieldChange[] {
  if (!segment) return []
  const { shows } = knownOf(segment, remembered)
  return fieldChanges(changed, input, (field) => shows(field as TextField))
}

/** The metadata that a step gives, in the form of an update. */
export function metadataOf(input: WantedSegment): JsonObject & { segmentName: string } {
  const given = METADATA.filter((field) => input[field] !== undefined).map((field) => [field, input[field]])
  return { ...Object.fromEntries(given), segmentName: input.segmentName }
}

/**
 * The texts that the service keeps in its own form. They are returned as the service shows them, not as they were sent.
 * Undefined if there are none.
 */
export function formsOf(input: WantedSegment, segment: JsonObject): JsonObject | undefined {
  const forms = [...METADATA, 'segmentFileName' as const].flatMap((field: TextField) => {
    const [sent, is] = [input[field], segment[field]]
    const isOther = typeof sent === 'string' && typeof is === 'string' && is !== sent && isKeptAs(is, sent)
    return isOther ? [[field, is] as const] : []
  })
  return forms.length === 0 ? undefined : Object.fromEntries(forms)
}

/** "", null and absent count as equal (decision 138); a null flag counts as off (decision 149). */
function differs(wanted: unknown, is: unknown): boolean {
  if (wanted === undefined) return false
  if (wanted === false && is === null) return false
  return shown(wanted) !== shown(is)
}

function conflict(input: WantedSegment, segment: Segment, fields: readonly (typeof FIXED)[number][]) {
  const list = fields.map((field) => `${field} ${segment[field]} instead of ${input[field]}`).join(', ')
  return failedError(
    'segment-conflict',
    `segment ${segment.id} with participantSegmentId "${input.participantSegmentId}" has ${list}; that cannot be changed`,
    'give the step another participantSegmentId, or delete the segment',
  )
}
