import { bytePatterns } from './byte-patterns.ts'
import { byteStretches } from './byte-stretches.ts'
import { type ByteSpan, type ByteText, bytesOf, partOf } from './byte-text.ts'
import {
  base64Decoded,
  type Decoding,
  entitiesDecoded,
  formDecoded,
  hasBrokenEscapes,
  hasEscapedRuns,
  hasLongBreaks,
  jsonUnescaped,
  percentDecoded,
  runsUnescaped,
  unbroken,
  unescaped,
} from './decodings.ts'
import { hiddenTexts, SHORTEST_SECRET, SHORTEST_STRETCH } from './hidden-texts.ts'
import { leastSigns, type SecretTraces, secretTraces } from './secret-traces.ts'
import { textReading } from './text-reading.ts'

/** How many nested encodings are read, not counting JSON around the whole text. */
const DEPTH = 2

/** Finds secrets, or stretches of them, in a text, in any encoding. Traces only save time. */
export function findSecrets(
  secrets: readonly string[],
  tracesOf: (...about: Parameters<typeof secretTraces>) => SecretTraces = secretTraces,
): (text: string) => readonly ByteSpan[] {
  const hidden = hiddenTexts(secrets)
  const stretched = withoutBreaks(hidden.stretched, SHORTEST_STRETCH, () => [])
  const isStretched = new Set(stretched)
  const wholes = withoutBreaks(hidden.wholes, SHORTEST_SECRET, (whole) => [whole]).filter(
    (form) => !isStretched.has(form),
  )
  const stretches = byteStretches(stretched, SHORTEST_STRETCH)
  // If a whole contains a stretch, it is searched for only after something was found, because its stretch is found
  // first.
  const within: string[] = []
  const alone: string[] = []
  for (const whole of wholes) (holdsAny(whole, stretches) ? within : alone).push(whole)
  const aloneIn = bytePatterns(alone)
  const withinIn = bytePatterns(within)
  // In these secrets, white space does not count as a break.
  const hasBlanks = alone.some((whole) => CONTROLS.test(whole) || hasLongBreaks(whole))
  const reading = textReading([...alone, ...stretched], Math.max(1, leastSigns(alone)))
  const traces = tracesOf(alone, stretched, reading)

  function explore(layer: ByteText, depth: number, found: (span: ByteSpan) => void): void {
    const long = hasLongBreaks(layer.bytes) ? unbroken(layer) : undefined
    look(layer, depth, found)
    if (long) look(long, depth, found)
    if (depth === 0 || !['\\', '%', '+', '&'].some((sign) => layer.bytes.includes(sign))) return
    const joined = hasBlanks || hasBrokenEscapes(layer.bytes) ? (long ?? unbroken(layer)) : undefined
    for (const decode of DECODINGS) {
      for (const read of joined ? [layer, joined] : [layer]) {
        const decoded = decode(read)
        if (decoded) explore(decoded, depth - 1, found)
      }
    }
  }

  /** Looks for secrets as they are or with white space in them, and for base64. */
  function look(layer: ByteText, depth: number, found: (span: ByteSpan) => void): void {
    let isFound = false
    const search = (part: ByteText) => {
      const tell = (from: number, to: number) => {
        isFound = true
        found(part.spanOf(from, to))
      }
      const bytes = part.bytes.toLowerCase()
      stretches.find(bytes, tell)
      aloneIn.find(bytes, tell)
    }
    for (const trace of traces.plain(layer.bytes)) {
      const part = partOf(layer, trace)
      search(part)
      const joined = unbroken(part)
      if (joined) search(joined)
    }
    if (isFound && within.length > 0) {
      for (const read of [layer, unbroken(layer)])
        if (read) withinIn.find(read.bytes.toLowerCase(), (from, to) => found(read.spanOf(from, to)))
    }
    if (depth === 0) return
    for (const trace of traces.base64(layer.bytes)) {
      const part = partOf(layer, trace)
      const decoded = base64Decoded(unbroken(part) ?? part, reading)
      if (decoded) explore(decoded, depth - 1, found)
    }
  }

  return (text) => {
    const spans: ByteSpan[] = []
    const found = (span: ByteSpan) => {
      spans.push(span)
    }
    const source = bytesOf(text)
    // JSON that this program writes may contain text that others have already encoded up to twice.
    const inJson = text.includes('\\') && isLikeJson(text) ? jsonUnescaped(source) : undefined
    // Other text may look like JSON, so read the text itself, too.
    if (inJson) explore(source, hasBrokenEscapes(source.bytes) || hasEscapedRuns(source.bytes) ? DEPTH : 0, found)
    explore(inJson ?? source, DEPTH, found)
    return spans
  }
}

const CONTROLS = /[\0-\x20\x7f]/
const DECODINGS: readonly Decoding[] = [unescaped, runsUnescaped, percentDecoded, formDecoded, entitiesDecoded]

function isLikeJson(text: string): boolean {
  return ['{}', '[]', '""'].includes(`${text.trimStart().charAt(0)}${text.trimEnd().at(-1)}`)
}

/**
 * The texts in the form that is used to search text without white space. If this form of a text is shorter than
 * `shortest`, `otherwise` returns what to search for instead.
 */
function withoutBreaks(texts: readonly string[], shortest: number, otherwise: (whole: string) => readonly string[]) {
  const forms = texts.flatMap((text) => {
    const whole = bytesOf(text)
    const { bytes } = unbroken(whole) ?? whole
    return bytes.length >= shortest ? [bytes] : otherwise(whole.bytes)
  })
  return [...new Set(forms.map((form) => form.toLowerCase()))]
}

function holdsAny(text: string, { find }: ReturnType<typeof byteStretches>): boolean {
  let isFound = false
  find(text, () => {
    isFound = true
  })
  return isFound
}
