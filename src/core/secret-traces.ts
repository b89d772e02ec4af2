import type { ByteSpan } from './byte-text.ts'
import { SHORTEST_STRETCH } from './hidden-texts.ts'
import type { TextReading } from './text-reading.ts'

/**
 * Finds the parts of `bytes` that may contain a secret; `bytes` has one character for each byte. There is no secret
 * outside these parts. May return too much, never too little.
 */
type FindTraces = (bytes: string) => readonly ByteSpan[]

export interface SecretTraces {
  /** Parts with a secret as it is, or with white space in it. */
  readonly plain: FindTraces
  /** Parts with base64 of something that contains a secret. */
  readonly base64: FindTraces
}

/** Secrets with fewer visible characters would have traces everywhere. */
const FEWEST = 4

const all: FindTraces = (bytes) => (bytes === '' ? [] : [{ from: 0, to: bytes.length }])
export const everywhere: SecretTraces = { plain: all, base64: all }

/**
 * Nearly all texts contain no secret, and this finds that out at little cost. It looks for the complete texts of
 * `wholes`, and for any stretch of the texts of `stretched`. All of these are without white space and in lower case.
 */
export function secretTraces(
  wholes: readonly string[],
  stretched: readonly string[],
  reading: TextReading,
): SecretTraces {
  if (reading.least < FEWEST) return everywhere
  return { plain: plainTraces(wholes, stretched, reading.least), base64: base64Traces(reading) }
}

/** The smallest number of visible characters in any text that is searched for. */
export function leastSigns(wholes: readonly string[]): number {
  return Math.min(SHORTEST_STRETCH, ...wholes.map(signsIn))
}

/** The visible characters in lower case; 0 for white space and control characters. */
const SIGN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte <= 0x20 || byte === 0x7f ? 0 : String.fromCharCode(byte).toLowerCase().charCodeAt(0),
)

function signsIn(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) count += Number(SIGN[text.charCodeAt(at)] !== 0)
  return count
}

/**
 * Four visible characters in a row are enough, or three if `least` is below 8. Among any `least` visible characters of
 * a secret, each of the first `step` begins such a sequence, so only one position in `step` is checked.
 */
function plainTraces(wholes: readonly string[], stretched: readonly string[], least: number): FindTraces {
  const size = least < 8 ? 3 : 4
  const step = least - size + 1
  const reach = Math.max(least, ...wholes.map(signsIn))
  // The end of a whole is enough, because a URL begins with its host and ends with the secret.
  const known = gramsOf([...stretched, ...wholes.map((text) => lastSigns(text, least))], size)
  const shift = 32 - Math.log2(known.length)
  const unused = 8 * (4 - size)

  return (bytes) => {
    const traces: { from: number; to: number }[] = []
    let last: { from: number; to: number } | undefined
    const { length } = bytes
    for (let at = 0; at < length; at += step) {
      let gram = 0
      const sign0 = SIGN[bytes.charCodeAt(at)] as number
      const sign1 = at + 3 < length ? (SIGN[bytes.charCodeAt(at + 1)] as number) : 0
      const sign2 = sign1 === 0 ? 0 : (SIGN[bytes.charCodeAt(at + 2)] as number)
      const sign3 = sign2 === 0 ? 0 : (SIGN[bytes.charCodeAt(at + 3)] as number)
      if (sign0 !== 0 && sign3 !== 0) {
        gram = ((sign0 << 24) | (sign1 << 16) | (sign2 << 8) | sign3) >>> unused
      } else {
        let left = size
        for (let next = at; next < length && left > 0; next++) {
          const sign = SIGN[bytes.charCodeAt(next)] as number
          if (sign === 0) continue
          if (left === size) at = next
          gram = (gram << 8) | sign
          left--
        }
        if (left > 0) break
      }
      if (known[Math.imul(gram, SPREAD) >>> shift] === 0) continue
      const from = back(bytes, at, reach, last?.to ?? 0)
      const to = forth(bytes, at, least)
      if (last && from <= last.to) last.to = to
      else {
        last = { from, to }
        traces.push(last)
      }
    }
    return traces
  }
}

/** A set of the hashes of each sequence of `size` visible characters. */
function gramsOf(texts: readonly string[], size: number): Uint8Array {
  const count = texts.reduce((sum, { length }) => sum + length, 0)
  const bits = Math.min(22, Math.max(15, Math.ceil(Math.log2(64 * count + 1))))
  const known = new Uint8Array(2 ** bits)
  for (const text of texts) {
    const signs = Array.from({ length: text.length }, (_, at) => SIGN[text.charCodeAt(at)] as number).filter(Boolean)
    for (let at = 0; at + size <= signs.length; at++) {
      const gram = signs.slice(at, at + size).reduce((sum, sign) => (sum << 8) | sign, 0)
      known[Math.imul(gram, SPREAD) >>> (32 - bits)] = 1
    }
  }
  return known
}

/** Goes back over this many visible characters and the invisible ones before them, but not beyond `end`. */
function back(bytes: string, from: number, signs: number, end: number): number {
  let at = from
  for (let left = signs; at > end; at--) if (SIGN[bytes.charCodeAt(at - 1)] !== 0 && left-- === 0) break
  return at
}

function forth(bytes: string, from: number, signs: number): number {
  let at = from
  for (let left = signs; at < bytes.length; at++) if (SIGN[bytes.charCodeAt(at)] !== 0 && left-- === 0) break
  return at
}

function lastSigns(text: string, signs: number): string {
  return text.slice(back(text, text.length, signs, 0))
}

const SPREAD = 0x9e3779b1

const OTHER = -1
const SKIPPED = -2

/** What a character of base64 or base64url stands for. */
const SIX_BITS = Int8Array.from({ length: 256 }, (_, byte) => {
  if (SIGN[byte] === 0) return SKIPPED
  const sign = String.fromCharCode(byte).replace('-', '+').replace('_', '/')
  return 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'.indexOf(sign)
})

/**
 * Base64 of a secret decodes to at least as many visible characters as the secret has, with only text between them.
 * Words and numbers do not decode to that. Base64 can begin at four positions. In three of the four readings, a byte
 * begins within a character: at bit 0, 2 and 4.
 */
function base64Traces({ states, least, enough }: TextReading): FindTraces {
  const characters = Math.ceil((least * 8) / 6)

  function mayHold(bytes: string, from: number, to: number): boolean {
    let before = OTHER
    let [at0, at2, at4, none] = [0, 0, 0, 0]
    for (let at = from; at < to; at++) {
      const six = SIX_BITS[bytes.charCodeAt(at)] as number
      if (six === SKIPPED) continue
      if (before !== OTHER) {
        const first = states[(none << 8) | (before << 2) | (six >> 4)] as number
        const second = states[(at0 << 8) | ((before & 15) << 4) | (six >> 2)] as number
        const third = states[(at2 << 8) | ((before & 3) << 6) | six] as number
        if (first >= enough || second >= enough || third >= enough) return true
        none = at4
        at4 = third
        at2 = second
        at0 = first
      }
      before = six
    }
    return false
  }

  return (bytes) => {
    const traces: ByteSpan[] = []
    for (let from = 0; from + characters <= bytes.length; ) {
      // Searches backwards from the end of this stretch. Nearly always, a character that is not base64 is near the end,
      // and the characters before it need not be examined.
      let to = from + characters - 1
      while (to >= from && SIX_BITS[bytes.charCodeAt(to)] !== OTHER) to--
      if (to < from) {
        to = from + characters
        while (to < bytes.length && SIX_BITS[bytes.charCodeAt(to)] !== OTHER) to++
        if (mayHold(bytes, from, to)) traces.push({ from, to })
      }
      from = to + 1
    }
    return traces
  }
}
