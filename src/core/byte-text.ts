/**
 * The UTF-8 bytes of a text, or of what the text encodes, as a string with one character per byte. Searches rarely find
 * anything in it, so the origin of its bytes is computed only on request.
 */
export interface ByteText {
  readonly bytes: string
  /** The characters of the text that some bytes come from: the first, and the one after the last. */
  spanOf(from: number, to: number): ByteSpan
}

export interface ByteSpan {
  readonly from: number
  readonly to: number
}

/** Where each byte of a text begins and ends in the text from which it was made. */
type Origin = (byte: number) => ByteSpan

export function bytesOf(text: string): ByteText {
  if (isAscii(text)) return { bytes: text, spanOf: (from, to) => ({ from, to }) }
  const bytes = Buffer.from(text).toString('latin1')
  return made(bytes, () => {
    const origins = createOrigins(bytes.length)
    for (let from = 0; from < text.length; ) {
      const code = text.codePointAt(from) ?? 0
      const to = from + (code > 0xffff ? 2 : 1)
      origins.add(code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4, from, to)
      from = to
    }
    return origins.of
  })
}

/** Whether a text has no character beyond ASCII. For long texts, this is many times faster than a pattern. */
export function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}

/** The text with each match of a pattern replaced by other bytes; undefined if that changes nothing. */
export function replaced(text: ByteText, pattern: RegExp, by: string): ByteText | undefined {
  const bytes = text.bytes.replace(pattern, by)
  if (bytes === text.bytes) return undefined
  const origin = () => {
    const origins = createOrigins(bytes.length)
    let at = 0
    for (const { 0: found, index } of text.bytes.matchAll(pattern)) {
      origins.copy(at, index)
      at = index + found.length
      origins.add(by.length, index, at)
    }
    origins.copy(at, text.bytes.length)
    return origins.of
  }
  return made(bytes, origin, text)
}

/** The meaning of an escape, and its length. */
export interface Escape {
  readonly length: number
  /** Never longer than the escape. */
  readonly bytes: string
}

/** Returns the meaning of the escape that begins at a position, if there is one. */
type ReadEscape = (bytes: string, at: number) => Escape | undefined

/** The text with its escapes replaced by their meaning; undefined if it has none. `read` is called at each `sign`. */
export function withoutEscapes(text: ByteText, sign: string, read: ReadEscape): ByteText | undefined {
  const { bytes } = text
  let first = bytes.indexOf(sign)
  while (first >= 0 && read(bytes, first) === undefined) first = bytes.indexOf(sign, first + 1)
  if (first < 0) return undefined
  const decoded = decodedFrom(bytes, first, read)
  return made(decoded, () => originOfDecoded(bytes, first, decoded.length, read), text)
}

function decodedFrom(bytes: string, first: number, read: ReadEscape): string {
  // Decodes in place: `to` never passes `at`, because no meaning is longer than its escape. Writing an array of bytes
  // is faster than writing a Buffer.
  const copy = Buffer.from(bytes, 'latin1')
  const written = new Uint8Array(copy.buffer, copy.byteOffset, copy.length)
  const begin = written[first]
  let to = first
  for (let at = first; at < written.length; ) {
    const byte = written[at] as number
    const found = byte === begin ? read(bytes, at) : undefined
    if (found === undefined) {
      written[to++] = byte
      at += 1
      continue
    }
    for (let of = 0; of < found.bytes.length; of++) written[to++] = found.bytes.charCodeAt(of)
    at += found.length
  }
  return copy.toString('latin1', 0, to)
}

function originOfDecoded(bytes: string, first: number, length: number, read: ReadEscape): Origin {
  const origins = createOrigins(length)
  const sign = bytes.charAt(first)
  let at = 0
  for (let place = first; place >= 0; place = bytes.indexOf(sign, place)) {
    const found = read(bytes, place)
    if (found) {
      origins.copy(at, place)
      at = place + found.length
      origins.add(found.bytes.length, place, at)
    }
    place += found?.length ?? 1
  }
  origins.copy(at, bytes.length)
  return origins.of
}

/** Collects where `length` bytes come from, in their order. */
function createOrigins(length: number) {
  const froms = new Int32Array(length)
  const tos = new Int32Array(length)
  let count = 0
  return {
    /** Adds this many bytes, all from one position. */
    add(bytes: number, from: number, to: number): void {
      for (const end = count + bytes; count < end; count++) {
        froms[count] = from
        tos[count] = to
      }
    },
    /** Adds bytes, each from its own position. */
    copy(from: number, end: number): void {
      for (let at = from; at < end; at++, count++) {
        froms[count] = at
        tos[count] = at + 1
      }
    },
    of: (byte: number): ByteSpan => ({ from: froms[byte] as number, to: tos[byte] as number }),
  }
}

export function partOf(text: ByteText, { from, to }: ByteSpan): ByteText {
  if (from === 0 && to === text.bytes.length) return text
  return { bytes: text.bytes.slice(from, to), spanOf: (start, end) => text.spanOf(from + start, from + end) }
}

/** Text whose bytes come from `source`, or from the text itself. */
export function made(bytes: string, findOrigin: () => Origin, source?: ByteText): ByteText {
  let origin: Origin | undefined
  return {
    bytes,
    spanOf(from, to) {
      origin ??= findOrigin()
      const span = { from: origin(from).from, to: origin(to - 1).to }
      return source ? source.spanOf(span.from, span.to) : span
    },
  }
}
