import type { Span } from './byte-text.ts'

/** A part of a text that may hold a secret. Outside of all parts there is none. */
interface Trace extends Span {
  /** Perhaps a secret as it is, perhaps with breaks in it. */
  readonly plain: boolean
  /** Perhaps base64 of something that holds a secret. */
  readonly base64: boolean
}

/** Looks at bytes, one character each, for what any secret must leave there. May err, but only by naming too much. */
export type FindTraces = (bytes: string) => readonly Trace[]

/** More characters of a secret than these are not looked at. */
const MOST = 24
/** Secrets of fewer leave traces everywhere. */
const FEWEST = 4

export const everywhere: FindTraces = (bytes) => [{ from: 0, to: bytes.length, plain: true, base64: true }]

/**
 * Nearly every text holds no secret, and this says so at little cost. Two facts are enough. The signs of a secret (printable
 * ASCII; a plus may be a space) stand in the text in their order, with nothing but white space, controls and bytes
 * above ASCII between them. And what base64 encodes holds at least as many signs as the secret has, without bytes between them that no
 * text has: words and numbers do not decode to that.
 */
export function secretTraces(patterns: readonly string[]): FindTraces {
  const signs = patterns.map((pattern) => [...pattern].map((_, at) => pattern.charCodeAt(at)).filter(isSign))
  const least = Math.min(MOST, ...signs.map(({ length }) => length))
  if (least < FEWEST) return everywhere

  // A bit for each place at which some secret has the sign (Baeza-Yates and Gonnet, 1992).
  const places = new Int32Array(256)
  const belongs = Uint8Array.from(BYTES, (byte) => Number(!isSign(byte) || sixBits(byte) >= 0))
  for (const secret of signs) {
    for (const sign of secret) belongs[sign] = 1
    for (const [at, sign] of secret.slice(0, least).entries()) places[sign] = (places[sign] ?? 0) | (1 << at)
  }
  const whole = 1 << (least - 1)
  const readings = readingStates(least)

  function mayBePlain(bytes: string, from: number, to: number): boolean {
    let state = 0
    for (let at = from; at < to; at++) {
      const byte = bytes.charCodeAt(at)
      if (SIGN[byte] === 0) continue
      state = ((state << 1) | 1) & (places[byte] as number)
      if ((state & whole) !== 0) return true
    }
    return false
  }

  /** Base64 can begin at four places. Of four readings, three have a byte that begins in a character: at bit 0, 2 and 4. */
  function mayBeBase64(bytes: string, from: number, to: number): boolean {
    let before = OTHER
    let [at0, at2, at4, none] = [0, 0, 0, 0]
    for (let at = from; at < to; at++) {
      const six = SIX_BITS[bytes.charCodeAt(at)] as number
      if (six === SKIPPED) continue
      if (six === OTHER) {
        at0 = at2 = at4 = none = 0
      } else if (before !== OTHER) {
        const first = readings[(none << 8) | (before << 2) | (six >> 4)] as number
        const second = readings[(at0 << 8) | ((before & 15) << 4) | (six >> 2)] as number
        const third = readings[(at2 << 8) | ((before & 3) << 6) | six] as number
        if (first === TEXT || second === TEXT || third === TEXT) return true
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
    // These breaks have signs inside.
    if (bytes.includes('\x1b') || (bytes.includes('<') && TAG.test(bytes))) return everywhere(bytes)
    const traces: Trace[] = []
    for (let from = 0; from + least <= bytes.length; ) {
      // From the back: nearly always the part ends soon, and the rest of it need not be looked at.
      let to = from + least - 1
      while (to >= from && belongs[bytes.charCodeAt(to)] === 1) to--
      if (to < from) {
        to = from + least
        while (to < bytes.length && belongs[bytes.charCodeAt(to)] === 1) to++
        const plain = mayBePlain(bytes, from, to)
        const base64 = mayBeBase64(bytes, from, to)
        if (plain || base64) traces.push({ from, to, plain, base64 })
      }
      from = to + 1
    }
    return traces
  }
}

/** `<wbr>` or `<br>`, which may be broken. */
const TAG = /<[^!-~]*(?:\/[^!-~]*)?(?:w[^!-~]*)?b[^!-~]*r/i

const BYTES = Array.from({ length: 256 }, (_, byte) => byte)

/** Printable ASCII without what some encoding reads as white space. */
function isSign(byte: number): boolean {
  return byte > 0x20 && byte < 0x7f && byte !== 0x2b
}

const OTHER = -1
const SKIPPED = -2

/** What a character of base64 or base64url stands for. */
function sixBits(byte: number): number {
  const sign = String.fromCharCode(byte).replace('-', '+').replace('_', '/')
  return 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'.indexOf(sign)
}

const SIGN = Uint8Array.from(BYTES, (byte) => Number(isSign(byte)))
const SIX_BITS = Int8Array.from(BYTES, (byte) => (isSign(byte) || byte === 0x2b ? sixBits(byte) : SKIPPED))

/** The state of a reading that has enough signs. */
const TEXT = 255

/** What stands before the next byte of a reading: a sign, the first byte of a longer character, or more of one. */
const KINDS = ['sign', 'first', 'more', 'encoded'] as const
type Kind = (typeof KINDS)[number]

/**
 * The next state of a reading for each state and byte. A state is how many signs were read with only text between them, and
 * what the last was. After a character with which other encodings, tags and colours begin, anything is text.
 */
function readingStates(least: number): Uint8Array {
  const numberOf = (count: number, kind: Kind) => (count >= least ? TEXT : count * KINDS.length + KINDS.indexOf(kind))
  const next = new Uint8Array(least * KINDS.length * 256)
  for (let count = 0; count < least; count++)
    for (const kind of KINDS)
      for (const byte of BYTES) next[(numberOf(count, kind) << 8) | byte] = numberOf(...after(count, kind, byte))
  return next
}

function after(count: number, kind: Kind, byte: number): readonly [number, Kind] {
  const signs = count + Number(isSign(byte))
  if (kind === 'encoded' || '%\\&<\x1b'.includes(String.fromCharCode(byte))) return [signs, 'encoded']
  if (isSign(byte)) return [kind === 'first' ? 1 : signs, 'sign']
  // White space may break a character of several bytes.
  if (byte < 0x80) return [count, kind]
  if (byte < 0xc0) return kind === 'sign' ? [0, 'sign'] : [count, 'more']
  return byte >= 0xc2 && byte <= 0xf4 ? [count, 'first'] : [0, 'sign']
}
