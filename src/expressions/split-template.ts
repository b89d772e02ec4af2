/** A piece of a text with expressions; offsets refer to that text. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string; readonly start: number }
  /** `source` has no surrounding white space; `start` is the offset of its first character. */
  | { readonly kind: 'expression'; readonly source: string; readonly start: number; readonly end: number }
  | { readonly kind: 'unclosed'; readonly start: number; readonly end: number }

/** Splits a text at its `${{ … }}`. Braces and quotes inside an expression belong to the expression. */
export function splitTemplate(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  let at = 0
  for (let open = text.indexOf('${{'); open !== -1; open = text.indexOf('${{', at)) {
    if (open > at) pieces.push({ kind: 'text', text: text.slice(at, open), start: at })
    const close = closingBraces(text, open + 3)
    if (close === -1) {
      pieces.push({ kind: 'unclosed', start: open, end: text.length })
      return pieces
    }
    const inner = text.slice(open + 3, close)
    const source = inner.trim()
    const start = open + 3 + (source === '' ? 0 : inner.length - inner.trimStart().length)
    pieces.push({ kind: 'expression', source, start, end: start + source.length })
    at = close + 2
  }
  if (at < text.length) pieces.push({ kind: 'text', text: text.slice(at), start: at })
  return pieces
}

/** The offset of the `}}` that closes an expression which begins at `from`; -1 if there is none. */
function closingBraces(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const character = text[at]
    if (character === '"' || character === "'") {
      at = endOfString(text, at)
      if (at === -1) return -1
    } else if (character === '{') depth++
    else if (character === '}') {
      if (depth > 0) depth--
      else if (text[at + 1] === '}') return at
    }
  }
  return -1
}

/** The offset of the last character of the string literal that begins at `start`; -1 if the literal does not end. */
function endOfString(text: string, start: number): number {
  const quote = text.charAt(start)
  const triple = quote.repeat(3)
  const delimiter = text.startsWith(triple, start) ? triple : quote
  const raw = /[rR]/.test(text.charAt(start - 1)) && !/[A-Za-z0-9_]/.test(text.charAt(start - 2))
  for (let at = start + delimiter.length; at < text.length; at++) {
    if (text[at] === '\\' && !raw) at++
    else if (text.startsWith(delimiter, at)) return at + delimiter.length - 1
  }
  return -1
}
