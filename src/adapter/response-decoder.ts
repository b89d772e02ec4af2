import type { Operation } from '../contract/operation.ts'
import { fromWire } from '../contract/wire.ts'
import { cleanBeginning } from '../core/clean-beginning.ts'
import { isJsonObject, type Json, JsonLimitError, type JsonObject, parseForeignJson } from '../core/json.ts'
import type { Redact } from '../core/secrets.ts'
import { isPathValue } from '../http/operation.ts'
import { maskPersonal } from '../policy/personal-data.ts'

/** The body of a successful answer. */
export type Decoded =
  | { readonly state: 'read'; readonly value: Json | undefined }
  /** The body is not what the contract promises. `why` says what is wrong, if it is known. */
  | { readonly state: 'unusable'; readonly why: string | undefined }

/** The request that a body answers. */
interface AnsweredRequest {
  readonly input: JsonObject
  readonly redact: Redact
}

const JOB_PROMISE = ['id', 'status'] as const
/** The maximum number of characters that are read of a status. A real status is far shorter. */
const MOST_STATUS = 1000
const JOB_IDS = ['segmentId', 'matchId', 'activationId'] as const

/**
 * Reads the body of a successful answer, of any JSON type (decision 6). Unknown fields are kept (decision 12). 64-bit
 * ids become decimal strings (decision 68). Ids that do not apply to a job are absent, whether the service sent null,
 * "" or nothing (decision 34).
 *
 * The body is unusable if the id, the job's status or the list is missing, because the caller cannot continue without
 * it. It is also unusable if an id is too long, if the job's id cannot be part of a path, or if the answer is about a
 * different resource than the request.
 */
export function responseDecoder(operation: Operation): (text: string, request: AnsweredRequest) => Decoded {
  const { output, list, job } = operation
  if (output === null) return () => ({ state: 'read', value: undefined })
  const isJob = job !== undefined || output.title === 'Job'
  const { required = [] } = output
  // The answer to a read is accepted as it is. The answer to a write must be a complete success (decision 150).
  const own = operation.method === 'GET' ? required.slice(0, 1) : required
  const promised = isJob ? JOB_PROMISE : list ? [list.items] : own

  const read = (parsed: Json | undefined, redact: Redact): JsonObject | undefined => {
    if (!isJsonObject(parsed)) return undefined
    const value = fromWire(output, isJob ? tidyJob(parsed, redact) : parsed)
    if (!isJsonObject(value) || promised.some((name) => isMissing(value[name]))) return undefined
    // Errors from other programs have an id, too, but their status is a number.
    if (isJob && typeof value.status !== 'string') return undefined
    return list && !Array.isArray(value[list.items]) ? undefined : value
  }

  const strayId = ({ id }: JsonObject) =>
    isJob && !isPathValue(String(id)) ? 'its id cannot be part of a path, so nothing can ask for it' : undefined

  return (text, { input, redact }) => {
    try {
      const value = read(parseForeignJson(text), redact)
      const other = value && (longId(value) ?? strayId(value) ?? showsOther(operation, input, value))
      return value && other === undefined ? { state: 'read', value } : { state: 'unusable', why: other }
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      return { state: 'unusable', why: error instanceof JsonLimitError ? error.message : undefined }
    }
  }
}

/**
 * Reports an id, anywhere in an answer, that is longer than any real id. Ids become parts of paths, messages and the
 * state.
 */
function longId(answer: Json | undefined, name = ''): string | undefined {
  const length = ID_NAME.test(name) ? lengthOf(answer) : 0
  if (length > MOST_ID)
    return `its ${name.slice(0, MAX_SHOWN)} has ${length} characters, but an id has at most ${MOST_ID}`
  if (typeof answer !== 'object' || answer === null) return undefined
  const isList = Array.isArray(answer)
  for (const [key, value] of Object.entries<Json | undefined>(answer)) {
    const found = longId(value, isList ? '' : key)
    if (found !== undefined) return found
  }
  return undefined
}

const ID_NAME = /(?:^i|I)d$/
/** 64-bit numbers have at most 20 digits and UUIDs have 36 characters. A path has room for this many characters. */
const MOST_ID = 255

function lengthOf(id: Json | undefined): number {
  return typeof id === 'string' ? id.length : typeof id === 'bigint' ? id.toString().length : 0
}

function isMissing(value: Json | undefined): boolean {
  return value === undefined || value === null || value === ''
}

/**
 * The job with all its ids as strings. A job has the match id as text, but a match record has it as a number (decision
 * 70).
 */
function tidyJob(job: JsonObject, redact: Redact): JsonObject {
  const tidy: Record<string, Json | undefined> = { ...job, id: idText(job.id) }
  // The status is a word that this contract or a later one defines. It becomes part of messages and the state.
  if (typeof tidy.status === 'string')
    tidy.status = cleanBeginning(tidy.status, MOST_STATUS, (text) => maskPersonal(redact(text))).slice(0, 100)
  for (const name of JOB_IDS) {
    if (!(name in tidy)) continue
    const id = idText(tidy[name])
    if (id === undefined) delete tidy[name]
    else tidy[name] = id
  }
  return tidy
}

function idText(id: Json | undefined): string | undefined {
  if (typeof id === 'number' || typeof id === 'bigint') return id.toString()
  return typeof id === 'string' && id !== '' ? id : undefined
}

/**
 * Reports an answer whose id differs from the id in the request: it is about another resource. Two ids may be equal as
 * text, as numbers of any size, or with one as text and the other as a number. An id that the answer does not show
 * proves nothing.
 */
export function showsOther({ shows = {} }: Operation, input: JsonObject, answer: JsonObject): string | undefined {
  for (const [asked, shown] of Object.entries(shows)) {
    const [wanted, found] = [comparableId(input[asked]), comparableId(answer[shown])]
    if (found === '' || wanted === '' || found === wanted) continue
    return `it is about ${shown} ${found.slice(0, MAX_SHOWN)}, but ${asked} ${wanted.slice(0, MAX_SHOWN)} was asked for`
  }
  return undefined
}

const MAX_SHOWN = 60

function comparableId(id: Json | undefined): string {
  if (id === undefined || id === null) return ''
  if (typeof id === 'object') return '(neither text nor a number)'
  const text = String(id)
  // Two patterns, because a single pattern would scan the rest of the text again for each zero.
  return /^\d+$/.test(text) ? text.replace(/^0+(?=\d)/, '') : text
}
