/**
 * Text as one word of a command that people copy into a shell, because the key of an item may contain blanks and
 * brackets.
 */
export function shellWord(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
