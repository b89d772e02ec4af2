import { parseForeignJson } from './json.ts'
import { printable } from './printable.ts'

/** Shorter values are not treated as secrets, because removing them would make every text unreadable. */
export const SHORTEST_SECRET = 6

/**
 * The length of the shortest stretch of a secret that is hidden wherever it occurs. White space does not count. Eleven
 * characters of a random token of 24 leave 78 bits to guess. Few words of a language have twelve letters, so this
 * seldom hides anything else.
 */
export const SHORTEST_STRETCH = 12

/**
 * Lines of a secret, and values in it, are hidden as a whole if they have at least this length. A line such as `type:`
 * is shorter.
 */
const SHORTEST_LINE = 8

/** The parts of secrets that must not be shown. */
export interface HiddenTexts {
  /** Hidden where they occur in full, from the first character to the last. */
  readonly wholes: readonly string[]
  /** Hidden in stretches of `SHORTEST_STRETCH` characters or more, because a service may repeat only a part. */
  readonly stretched: readonly string[]
}

/**
 * The texts of these secrets that must not be shown. Each text is given in all spellings that decoding does not undo.
 */
export function hiddenTexts(secrets: readonly string[]): HiddenTexts {
  const wholes = secrets.flatMap((secret) => [secret, ...tellingParts(secret).flatMap(wholesOf)])
  const stretched = secrets.flatMap((secret) => tellingParts(secret).map(({ text }) => text))
  return { wholes: spelled(wholes, SHORTEST_SECRET), stretched: spelled(stretched, SHORTEST_STRETCH) }
}

interface Part {
  readonly text: string
  /** Whether a single line of the text counts as a secret. A part of a URL is often just a word. */
  readonly hasLines: boolean
}

/** A secret without its public parts: the host of a URL, the names in JSON, the first and the last line of a key. */
function tellingParts(value: string): readonly Part[] {
  const data = jsonIn(value)
  if (data !== undefined) return textsIn(data).flatMap(tellingParts)
  const [, userAndPassword, path] = URL_FORM.exec(value) ?? []
  if (path === undefined) return value.split(FENCE).map((text) => ({ text, hasLines: true }))
  const [, password = ''] = /:(.*)/s.exec(userAndPassword ?? '') ?? []
  return [
    { text: userAndPassword ?? '', hasLines: false },
    { text: password, hasLines: true },
    { text: path, hasLines: false },
  ]
}

function wholesOf({ text, hasLines }: Part): readonly string[] {
  if (!hasLines) return []
  return [text, ...text.split(/[\r\n]+/)].map((line) => line.trim()).filter(({ length }) => length >= SHORTEST_LINE)
}

const URL_FORM = /^\s*[a-z][a-z0-9+.-]*:\/\/(?:([^\s/?#@]*)@)?[^\s/?#@]*(\S*)\s*$/i
const FENCE = /-----(?:BEGIN|END) [^-\n]+-----/

function jsonIn(value: string): unknown {
  if (!/^\s*[[{]/.test(value)) return undefined
  try {
    return parseForeignJson(value)
  } catch {
    return undefined
  }
}

function textsIn(data: unknown): readonly string[] {
  if (typeof data === 'string') return [data]
  return typeof data === 'object' && data !== null ? Object.values(data).flatMap(textsIn) : []
}

/**
 * Each text in its normalised forms, in upper and lower case, as `printable` shows it, and quoted for CSV, SQL and a
 * shell.
 */
function spelled(texts: readonly string[], shortest: number): readonly string[] {
  const all = texts
    .filter(({ length }) => length >= shortest)
    .flatMap((text) => [text, text.normalize('NFC'), text.normalize('NFD')])
    .flatMap((text) => [text, text.toLowerCase(), text.toUpperCase(), printable(text)])
    .flatMap((text) => [
      text,
      text.replaceAll('"', '""'),
      ...["''", "'\\''", `'"'"'`].map((quote) => text.replaceAll("'", quote)),
    ])
  return [...new Set(all)]
}
