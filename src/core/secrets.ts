import type { ByteSpan } from './byte-text.ts'
import { SHORTEST_SECRET, SHORTEST_STRETCH } from './hidden-texts.ts'
import { changedData, parseForeignJson, parseJson, stringifyJson } from './json.ts'
import { findSecrets } from './secret-spans.ts'

/** Removes secrets from a text. */
export type Redact = (text: string) => string

/** The text that replaces a secret. */
export const MASK = '***'

/** The secrets of this process: added when they are obtained, removed from every text that is written or shown. */
export interface Secrets {
  add(value: string): void
  /** Adds a token that is renewed from time to time. Only the last sixty are kept, because older ones have expired. */
  addRenewed(value: string): void
  /**
   * The text with `***` in place of each secret, and of each stretch of twelve characters of a secret. Both are found
   * unchanged or in an encoding in which services, logs and templates repeat them (JSON, URL, base64, HTML; two of them
   * nested), even if white space breaks them. JSON stays JSON. The time is linear in the length of the text, for any
   * number of secrets.
   */
  redact(text: string): string
  /** Redacts every text, key and number in plain data. Returns the same data if they contain no secret. */
  redactData<T>(data: T): T
}

/** How many tokens are kept. A daemon obtains thousands of tokens in a year, up to three at a time. */
const KEPT_TOKENS = 60

export function createSecrets(): Secrets {
  const values = new Set<string>()
  const renewed = new Set<string>()
  let find: ReturnType<typeof findSecrets> | undefined

  function masked(text: string): string {
    if (text.length < SHORTEST_SECRET || isEmpty()) return text
    find ??= findSecrets([...values, ...renewed])
    return withMasks(text, find(text))
  }

  const isEmpty = () => values.size + renewed.size === 0

  /** A number is a secret if it equals a secret, or contains a stretch of a secret. */
  function isSecretNumber(text: string): boolean {
    return values.has(text) || renewed.has(text) || (text.length >= SHORTEST_STRETCH && masked(text) !== text)
  }

  function maskedData(data: unknown): unknown {
    return changedData(data, (value) => {
      if (typeof value === 'string') return masked(value)
      return isSecretNumber(String(value)) ? MASK : value
    })
  }

  return {
    add(value) {
      if (value.trim().length < SHORTEST_SECRET || values.has(value)) return
      values.add(value)
      find = undefined
    },
    addRenewed(value) {
      if (value.trim().length < SHORTEST_SECRET || values.has(value)) return
      if (!renewed.delete(value)) find = undefined
      renewed.add(value)
      const [oldest] = renewed
      if (renewed.size > KEPT_TOKENS && oldest !== undefined) renewed.delete(oldest)
    },
    redact(text) {
      const shown = masked(text)
      if (shown === text || isJson(shown) || !isJson(text)) return shown
      // The text is no longer JSON, because a number, or part of the JSON structure, looked like a secret.
      const end = text.endsWith('\n') ? '\n' : ''
      return stringifyJson(maskedData(parseJson(text))) + end
    },
    redactData<T>(data: T): T {
      if (isEmpty() || data === undefined) return data
      const text = stringifyJson(data)
      return masked(text) === text ? data : (maskedData(data) as T)
    },
  }
}

function isJson(text: string): boolean {
  // This program writes only objects and lists, so other JSON does not count. In a text that is a single JSON string,
  // the quotes may belong to a secret.
  if (!/^\s*[[{]/.test(text)) return false
  try {
    parseForeignJson(text)
    return true
  } catch {
    return false
  }
}

function withMasks(text: string, spans: readonly ByteSpan[]): string {
  let shown = ''
  let at = 0
  for (const { from, to } of joinedSpans(spans)) {
    shown += text.slice(at, from) + MASK
    at = to
  }
  return shown + text.slice(at)
}

/** Sorts parts of a text, and joins those that overlap or touch. */
export function joinedSpans(spans: readonly ByteSpan[]): readonly ByteSpan[] {
  const joined: { from: number; to: number }[] = []
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else joined.push({ from, to })
  }
  return joined
}
