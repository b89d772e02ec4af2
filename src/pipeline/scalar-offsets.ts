import type { ScalarNode } from '../document/document-node.ts'

/** Maps the characters of a scalar's value to their positions in the document. */
export interface ScalarOffsets {
  /**
   * The offset in the document of the value's character at `index`; for the index after the last character, the end of
   * the value.
   */
  at(index: number): number
  /** The document contains the value unchanged, on one line. */
  readonly verbatim: boolean
}

/**
 * Aligns a scalar's value with its source. Quotes, escapes, folded lines and indentation make the source differ from
 * the value, so the column of a character inside an expression has to be looked up.
 */
export function scalarOffsets(text: string, node: ScalarNode): ScalarOffsets {
  const value = String(node.value)
  const begin = node.style === 'plain' ? node.start : node.style === 'block' ? contentOf(text, node) : node.start + 1
  if (node.style !== 'block' && text.startsWith(value, begin) && !value.includes('\n')) {
    return { at: (index) => begin + index, verbatim: true }
  }
  let offsets: readonly number[] | undefined
  return {
    at: (index) => {
      offsets ??= align(text, node, value, begin)
      return offsets[index] ?? node.end
    },
    verbatim: false,
  }
}

/** The first character after the header line (`|-`) of a block scalar. */
function contentOf(text: string, node: ScalarNode): number {
  const newline = text.indexOf('\n', node.start)
  return newline === -1 ? node.end : newline + 1
}

/**
 * Walks through source and value together. YAML only adds, drops or changes white space, so every other character is
 * found by skipping white space in the source. Escapes and doubled quotes take more than one character of the source.
 */
function align(text: string, node: ScalarNode, value: string, begin: number): number[] {
  const offsets: number[] = []
  let at = begin
  // There is no line break between `at` and this offset. The offset is kept so that a long run of blanks is scanned
  // only once.
  let unbroken = begin
  for (let index = 0; index < value.length; index++) {
    const character = value.charAt(index)
    if (node.style === 'double') at = skipEscapedNewlines(text, at)
    const fold = node.style === 'block' || at < unbroken ? undefined : foldAt(text, at)
    if (fold?.made === 0) unbroken = fold.end
    else if (fold) {
      for (let made = 0; made < fold.made; made++) offsets.push(at)
      index += fold.made - 1
      at = fold.end
      continue
    }
    const isSpace = SPACE.test(character)
    const escaped = node.style === 'double' && text[at] === '\\'
    if (!isSpace) while (at < node.end && SPACE.test(text.charAt(at))) at++
    offsets.push(at)
    if (node.style === 'double' && text[at] === '\\') {
      const length = escapeLength(text, at)
      // An escape for a character beyond 16 bits stands for two units of the value.
      if (value.codePointAt(index) !== value.charCodeAt(index)) {
        offsets.push(at)
        index++
      }
      at += length
    } else if (node.style === 'single' && character === "'") at += 2
    else if (!isSpace || escaped || text[at] === character) at++
  }
  return offsets
}

const SPACE = /\s/

/**
 * Line breaks in a quoted or plain scalar, with the white space around them. One break becomes a space; of several
 * breaks, all but one remain. A break that follows an escaped one is not handled here. Adds nothing if there is no line
 * break.
 */
function foldAt(text: string, at: number): { made: number; end: number } {
  let breaks = 0
  let end = at
  for (; BLANK.test(text.charAt(end)); end++) if (text[end] === '\n') breaks++
  return { made: breaks === 1 ? 1 : Math.max(0, breaks - 1), end }
}

const BLANK = /[ \t\r\n]/

/** A backslash at the end of a line removes the line break and the indentation of the next line. */
function skipEscapedNewlines(text: string, from: number): number {
  let at = from
  while (text[at] === '\\' && (text[at + 1] === '\n' || text.startsWith('\r\n', at + 1))) {
    at = text.indexOf('\n', at) + 1
    while (text[at] === ' ' || text[at] === '\t') at++
  }
  return at
}

function escapeLength(text: string, at: number): number {
  switch (text[at + 1]) {
    case 'x':
      return 4
    case 'u':
      return 6
    case 'U':
      return 10
    default:
      return 2
  }
}
