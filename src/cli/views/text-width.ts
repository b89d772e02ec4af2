import { createRequire } from 'node:module'
import type stringWidth from 'string-width'

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  // Almost every text is printable ASCII, which takes one column per character.
  return /^[ -~]*$/.test(text) ? text.length : widthOfOther(text)
}

/**
 * The package is loaded only when a text contains other characters, because its regular expressions for all of Unicode
 * take 20 ms.
 */
function widthOfOther(text: string): number {
  measure ??= (createRequire(import.meta.url)('string-width') as { default: typeof stringWidth }).default
  return measure(text)
}

let measure: typeof stringWidth | undefined

/** Text of at most `columns` columns; text that is cut ends with `…`. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let kept = ''
  let width = 1
  for (const character of text) {
    width += widthOf(character)
    if (width > columns) break
    kept += character
  }
  return columns < 1 ? '' : `${kept.trimEnd()}…`
}

/** The same text, padded with spaces to a width in columns. */
export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)))
}

const WORDS = /\d[\d.,]* (?:ms|min|[shdB]|[kMG]B)(?!\S)|[^\s`]*`[^`]*`\S*|\S+/g

/**
 * Text in lines of at most `columns` columns, broken between words. A longer word stays whole. A number stays with its
 * unit, and a command in backticks stays whole so that it can be copied.
 */
export function wrapWords(text: string, columns: number): string[] {
  const lines: string[] = []
  let line = ''
  let end = 0
  for (const { 0: word, index } of text.matchAll(WORDS)) {
    // The columns of a table stay aligned; a line break in the text becomes one space.
    const gap = text.slice(end, index)
    const longer = line === '' ? word : `${line}${/^ *$/.test(gap) ? gap : ' '}${word}`
    end = index + word.length
    if (line === '' || widthOf(longer) <= columns) line = longer
    else {
      lines.push(line)
      line = word
    }
  }
  return [...lines, line]
}

/** Long text in lines of at most `columns` columns. The lines after the first are indented. */
export function hanging(text: string, columns: number): string[] {
  if (widthOf(text) <= columns) return [text]
  const indent = /^ */.exec(text)?.[0] ?? ''
  return wrapWords(text.trim(), Math.max(1, columns - indent.length - 2)).map((line, place) =>
    place === 0 ? `${indent}${line}` : `${indent}  ${line}`,
  )
}

/** Writes a line, broken between words on a terminal. */
export function writeFitted(stream: NodeJS.WriteStream, line: string): void {
  stream.write(`${fittedTo(stream)(line).join('\n')}\n`)
}

/** Breaks lines between words on a terminal; elsewhere a line stays as it is. */
export function fittedTo({ isTTY, columns }: NodeJS.WriteStream): (line: string) => string[] {
  return (line) => (isTTY ? hanging(line, columns) : [line])
}
