/**
 * The UTF-8 bytes of a text, or of what the text encodes, as a string with one character a byte. Nearly always there is
 * nothing to find in it, so where its bytes come from is worked out only if it is asked.
 */
export interface ByteText {
  readonly bytes: string
  /** Which characters of the text some bytes come from: the first, and the one after the last. */
  spanOf(from: number, to: number): Span
}

export interface Span {
  readonly from: number
  readonly to: number
}

/** Where each byte of a text begins and ends in the text that it was made from. */
type Origin = (byte: number) => Span

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

/** Tells it many times faster than a pattern. */
export function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length
}

/** The text with other bytes for each match of a pattern; undefined if that changes nothing. */
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

/** What an escape stands for, and how long it is. */
export interface Escape {
  readonly length: number
  /** Not more than the escape has. */
  readonly bytes: string
}

/** The text with what its escapes stand for; undefined if there is none. `read` is asked wherever `sign` stands. */
export function withoutEscapes(
  text: ByteText,
  sign: string,
  read: (bytes: string, at: number) => Escape | undefined,
): ByteText | undefined {
  const { bytes } = text
  let next = bytes.indexOf(sign)
  if (next < 0) return undefined
  const written = Buffer.allocUnsafe(bytes.length)
  let to = 0
  const copy = (from: number, end: number) => {
    if (end - from > 40) to += written.write(bytes.slice(from, end), to, 'latin1')
    else for (let at = from; at < end; at++) written[to++] = bytes.charCodeAt(at)
  }
  let from = 0
  for (; next >= 0; next = bytes.indexOf(sign, next)) {
    const found = read(bytes, next)
    if (found === undefined) {
      next += 1
      continue
    }
    copy(from, next)
    for (let at = 0; at < found.bytes.length; at++) written[to++] = found.bytes.charCodeAt(at)
    next += found.length
    from = next
  }
  if (from === 0) return undefined
  copy(from, bytes.length)
  const origin = () => {
    const origins = createOrigins(to)
    let at = 0
    for (let place = bytes.indexOf(sign); place >= 0; place = bytes.indexOf(sign, place)) {
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
  return made(written.toString('latin1', 0, to), origin, text)
}

/** Collects where `length` bytes come from, in their order. */
function createOrigins(length: number) {
  const froms = new Int32Array(length)
  const tos = new Int32Array(length)
  let count = 0
  return {
    /** So many bytes come from one place. */
    add(bytes: number, from: number, to: number): void {
      for (const end = count + bytes; count < end; count++) {
        froms[count] = from
        tos[count] = to
      }
    },
    /** Each byte comes from one of its own. */
    copy(from: number, end: number): void {
      for (let at = from; at < end; at++, count++) {
        froms[count] = at
        tos[count] = at + 1
      }
    },
    of: (byte: number): Span => ({ from: froms[byte] as number, to: tos[byte] as number }),
  }
}

export function partOf(text: ByteText, { from, to }: Span): ByteText {
  if (from === 0 && to === text.bytes.length) return text
  return { bytes: text.bytes.slice(from, to), spanOf: (start, end) => text.spanOf(from + start, from + end) }
}

/** A text whose bytes come from `source`, or from the text itself. */
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
