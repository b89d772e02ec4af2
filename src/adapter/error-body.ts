import { cleanBeginning } from '../core/clean-beginning.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import type { Redact } from '../core/secrets.ts'
import { tryParseJson } from './try-parse-json.ts'

export interface ErrorBody {
  /** The error in one line of at most 300 characters; undefined if the body says nothing. */
  readonly detail: string | undefined
  /** Whether the body says that something does not exist. */
  readonly saysMissing: boolean
}

const MAX_DETAIL = 300
/** Text and bodies beyond these limits are ignored. */
const MAX_READ = 4000
const MAX_BODY = 20_000
const MAX_ERRORS = 1000
const MISSING =
  /\bnot (be )?found\b|\bno such\b|\bthere is no (segment|match)\b|\bdoes(n't| not) exist\b|\bunknown (segment|match|id)\b/i

/**
 * Reads an error body of any kind: problem+json (RFC 9457) with or without a list of errors, other JSON, HTML, plain
 * text, truncated or empty (decision 135). `redact` removes secrets. `mask` removes everything else that must not be
 * stored.
 */
export function describeErrorBody(
  text: string,
  { redact, mask }: { redact: Redact; mask: (said: string) => string },
): ErrorBody {
  const json = text === '' ? undefined : tryParseJson(text)
  // A secret may look like a tag, and there may be tags inside a secret. So secrets are removed before the tags and
  // again after them.
  const said = json === undefined ? plainTextOf(cleanBeginning(text, MAX_BODY, redact)) : saidIn(json)
  // The text is cleaned before it is cut, because otherwise half of a secret could remain.
  const detail = oneLine(cleanBeginning(said, MAX_READ, (read) => mask(redact(read))))
  const type = isJsonObject(json) && typeof json.type === 'string' ? json.type : ''
  return {
    detail: detail === '' ? undefined : detail,
    saysMissing: /not-found$/.test(type) || MISSING.test(detail),
  }
}

function saidIn(json: Json): string {
  if (typeof json === 'string') return json
  if (!isJsonObject(json)) return ''
  const main = textIn(json, ['detail', 'message', 'error_description', 'title', 'error', 'reason'])
  const { errors } = json
  let said = main
  // Each entry is searched for in the main text. To save time, long entries are not compared, and entries that would
  // not be shown are not read.
  for (const error of Array.isArray(errors) ? errors.slice(0, MAX_ERRORS) : []) {
    const line = said.length > MAX_READ ? '' : saidInOne(error, main)
    if (line !== '') said = said === '' ? line : `${said}; ${line}`
  }
  return said
}

/** The location and the message of one entry of an `errors` list; empty if `said` already contains them. */
function saidInOne(error: Json, said: string): string {
  if (!isJsonObject(error)) return typeof error === 'string' && !said.includes(error) ? error : ''
  const where = textIn(error, ['pointer', 'field', 'parameter'])
  const what = textIn(error, ['detail', 'message', 'title'])
  if (what !== '' && said.includes(what)) return ''
  return `${where} ${what}`.trim()
}

function textIn(json: JsonObject, names: readonly string[]): string {
  for (const name of names) {
    const value = json[name]
    if (typeof value === 'string' && value.trim() !== '') return value
    if (isJsonObject(value)) {
      const inner = textIn(value, ['detail', 'message', 'title'])
      if (inner !== '') return inner
    }
  }
  return ''
}

/** The title of an HTML page, or the text of the page without tags. */
function plainTextOf(text: string): string {
  // No part of a pattern matches across a `<`, so a page full of them takes no more time than other pages.
  const title = /<title[^<>]*>([^<]*)/i.exec(text)?.[1]
  if (title?.trim()) return title
  return text.replace(/<(script|style)[^<>]*>[^<]*<\/\1>/gi, ' ').replace(/<[^<>]*>/g, ' ')
}

/** Removes line breaks and control characters, because the text may be printed to a terminal. */
function oneLine(text: string): string {
  const line = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()
  return line.length <= MAX_DETAIL ? line : `${line.slice(0, MAX_DETAIL - 1)}…`
}
