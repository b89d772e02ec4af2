import { type BytePatterns, bytePatterns } from './byte-patterns.ts'
import { type ByteText, bytesOf, type Span } from './byte-text.ts'
import {
  base64Decoded,
  type Decoding,
  entitiesDecoded,
  formDecoded,
  percentDecoded,
  unbroken,
  unescaped,
} from './decodings.ts'
import { parseJson, stringifyJson } from './json.ts'

/** Removes secrets from a text. */
export type Redact = (text: string) => string

/** Shorter values are not treated as secrets: removing them would make every text unreadable. */
const MINIMUM_LENGTH = 6

/** What stands for a secret. */
export const MASK = '***'

/** How many encodings around each other are read, besides that of JSON around everything. */
const DEPTH = 2

/**
 * The secrets of this process. They are registered as they are obtained, and removed from every text that is written or
 * shown.
 */
export interface Secrets {
  add(value: string): void
  /**
   * The text with `***` for each secret: as it is, and in each encoding in which services, logs and templates repeat it
   * (JSON, URL, base64, HTML; two around each other), also broken by white space. JSON stays JSON. The time is linear in
   * the text, for any number of secrets.
   */
  redact(text: string): string
  /** The same for every text, key and number in plain data. Returns the same data if there is none. */
  redactData<T>(data: T): T
}

export function createSecrets(): Secrets {
  const values = new Set<string>()
  let known: BytePatterns | undefined

  function patterns(): BytePatterns {
    known ??= bytePatterns([...values].flatMap(patternsOf))
    return known
  }

  function masked(text: string): string {
    return text.length < MINIMUM_LENGTH || values.size === 0 ? text : withMasks(text, spansOf(text, patterns()))
  }

  function maskedData(data: unknown): unknown {
    if (typeof data === 'string') return masked(data)
    if (typeof data === 'number' || typeof data === 'bigint') return values.has(String(data)) ? MASK : data
    if (Array.isArray(data)) return data.map(maskedData)
    if (typeof data !== 'object' || data === null) return data
    return Object.fromEntries(Object.entries(data).map(([key, value]) => [masked(key), maskedData(value)]))
  }

  return {
    add(value) {
      if (value.length < MINIMUM_LENGTH || values.has(value)) return
      values.add(value)
      known = undefined
    },
    redact(text) {
      const shown = masked(text)
      if (shown === text || isJson(shown) || !isJson(text)) return shown
      // A number, or a part of the structure, looked like a secret.
      const end = text.endsWith('\n') ? '\n' : ''
      return stringifyJson(maskedData(parseJson(text))) + end
    },
    redactData<T>(data: T): T {
      if (values.size === 0 || data === undefined) return data
      const text = stringifyJson(data)
      return masked(text) === text ? data : (maskedData(data) as T)
    },
  }
}

function isJson(text: string): boolean {
  if (!/^\s*[[{"\d-]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** A secret as it is, and as it is found in text without white space, if enough of it is left then. */
function patternsOf(value: string): readonly string[] {
  const whole = bytesOf(value)
  const joined = unbroken(whole)
  return joined && joined.bytes.length >= MINIMUM_LENGTH ? [whole.bytes, joined.bytes] : [whole.bytes]
}

/** Where a text has secrets, in any encoding. */
function spansOf(text: string, patterns: BytePatterns): readonly Span[] {
  const spans: Span[] = []
  const search = (layer: ByteText) =>
    patterns.find(layer.bytes, (from, to) => {
      spans.push(layer.spanOf(from, to))
    })
  // Six bits a character, and the first and last character may have bits of others.
  const leastBase64 = Math.ceil((patterns.shortest * 8) / 6)

  function explore(layer: ByteText, depth: number): void {
    search(layer)
    const joined = unbroken(layer)
    if (joined) search(joined)
    if (depth === 0) return
    for (const decode of DECODINGS) {
      for (const read of joined ? [layer, joined] : [layer]) {
        const decoded = decode(read)
        if (decoded) explore(decoded, depth - 1)
      }
    }
    const decoded = base64Decoded(joined ?? layer, leastBase64)
    if (decoded) explore(decoded, depth - 1)
  }

  const source = bytesOf(text)
  // Two encodings of others may stand in what this program writes as JSON.
  const inJson = LIKE_JSON.test(text) ? unescaped(source) : undefined
  if (inJson) search(source)
  explore(inJson ?? source, DEPTH)
  return spans
}

const DECODINGS: readonly Decoding[] = [unescaped, percentDecoded, formDecoded, entitiesDecoded]
const LIKE_JSON = /^\s*(?:\{[\s\S]*\}|\[[\s\S]*\]|"[\s\S]*")\s*$/

function withMasks(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text
  let shown = ''
  let at = 0
  let end = -1
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    if (from > end) {
      if (end >= 0) at = end
      shown += text.slice(at, from) + MASK
    }
    end = Math.max(end, to)
  }
  return shown + text.slice(end)
}
