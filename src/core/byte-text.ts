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
  if (!/[^\0-\x7f]/.test(text)) return { bytes: text, spanOf: (from, to) => ({ from, to }) }
  return made(Buffer.from(text).toString('latin1'), () => {
    const origins: Span[] = []
    for (let from = 0; from < text.length; ) {
      const code = text.codePointAt(from) ?? 0
      const to = from + (code > 0xffff ? 2 : 1)
      for (let left = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4; left > 0; left--)
        origins.push({ from, to })
      from = to
    }
    return (byte) => origins[byte] as Span
  })
}

/** The text with other bytes for each match of a pattern; undefined if that changes nothing. */
export function replaced(text: ByteText, pattern: RegExp, write: (found: string) => string): ByteText | undefined {
  const bytes = text.bytes.replace(pattern, write)
  if (bytes === text.bytes) return undefined
  const origin = () => {
    const origins: Span[] = []
    let at = 0
    const copyTo = (end: number) => {
      for (; at < end; at++) origins.push({ from: at, to: at + 1 })
    }
    for (const { 0: found, index } of text.bytes.matchAll(pattern)) {
      copyTo(index)
      const written = write(found)
      if (written === found) continue
      at = index + found.length
      for (let left = written.length; left > 0; left--) origins.push({ from: index, to: at })
    }
    copyTo(text.bytes.length)
    return (byte: number) => origins[byte] as Span
  }
  return made(bytes, origin, text)
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
