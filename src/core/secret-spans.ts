import { bytePatterns } from './byte-patterns.ts'
import { type ByteText, bytesOf, partOf, type Span } from './byte-text.ts'
import {
  base64Decoded,
  type Decoding,
  entitiesDecoded,
  formDecoded,
  percentDecoded,
  unbroken,
  unescaped,
} from './decodings.ts'
import { type FindTraces, secretTraces } from './secret-traces.ts'

/** How many encodings around each other are read, besides that of JSON around everything. */
const DEPTH = 2

/**
 * Finds where a text has secrets, in any encoding. `minimumLength` is of what is left of a secret in text without white
 * space. Traces only save time.
 */
export function findSecrets(
  secrets: readonly string[],
  minimumLength: number,
  tracesOf: (patterns: readonly string[]) => FindTraces = secretTraces,
): (text: string) => readonly Span[] {
  const forms = secrets.flatMap((secret) => patternsOf(secret, minimumLength))
  const patterns = bytePatterns(forms)
  const traces = tracesOf(forms)
  // Six bits a character, and the first and last character may have bits of others.
  const leastBase64 = Math.ceil((patterns.shortest * 8) / 6)

  function explore(layer: ByteText, depth: number, found: (span: Span) => void): void {
    const search = (part: ByteText) => patterns.find(part.bytes, (from, to) => found(part.spanOf(from, to)))
    for (const trace of traces(layer.bytes)) {
      const part = partOf(layer, trace)
      const joined = unbroken(part)
      if (trace.plain) search(part)
      if (trace.plain && joined) search(joined)
      const decoded = depth > 0 && trace.base64 ? base64Decoded(joined ?? part, leastBase64) : undefined
      if (decoded) explore(decoded, depth - 1, found)
    }
    if (depth === 0 || !['\\', '%', '+', '&'].some((sign) => layer.bytes.includes(sign))) return
    const joined = unbroken(layer)
    for (const decode of DECODINGS) {
      for (const read of joined ? [layer, joined] : [layer]) {
        const decoded = decode(read)
        if (decoded) explore(decoded, depth - 1, found)
      }
    }
  }

  return (text) => {
    const spans: Span[] = []
    const found = (span: Span) => {
      spans.push(span)
    }
    const source = bytesOf(text)
    // Two encodings of others may stand in what this program writes as JSON.
    const inJson = text.includes('\\') && LIKE_JSON.test(text) ? unescaped(source) : undefined
    if (inJson) explore(source, 0, found)
    explore(inJson ?? source, DEPTH, found)
    return spans
  }
}

const DECODINGS: readonly Decoding[] = [unescaped, percentDecoded, formDecoded, entitiesDecoded]
const LIKE_JSON = /^\s*(?:\{[\s\S]*\}|\[[\s\S]*\]|"[\s\S]*")\s*$/

/** A secret as it is, and as it is found in text without white space, if enough of it is left then. */
function patternsOf(value: string, minimumLength: number): readonly string[] {
  const whole = bytesOf(value)
  const joined = unbroken(whole)
  return joined && joined.bytes.length >= minimumLength ? [whole.bytes, joined.bytes] : [whole.bytes]
}
