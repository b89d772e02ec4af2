import stringWidth from 'string-width'

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  // Almost every text: printable ASCII takes one column a character.
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text)
}

/** A text of at most `columns` columns; a text that is cut ends with `…`. */
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

/** The same text, with spaces up to a width in columns. */
export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)))
}

/** A text in lines of at most `columns` columns, broken between words; a longer word stays whole. */
export function wrapWords(text: string, columns: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line === '' || widthOf(longer) <= columns) line = longer
    else {
      lines.push(line)
      line = word
    }
  }
  return [...lines, line]
}
