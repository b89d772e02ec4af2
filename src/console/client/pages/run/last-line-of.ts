/**
 * The last line of the list item that begins at a line, counted from 1. The item ends before the next line that is not
 * indented further than its first line.
 */
export function lastLineOf(text: string, from: number): number {
  const lines = text.split('\n')
  const dash = (line: string) => line.search(/\S/)
  const start = lines.slice(0, from).findLastIndex((line) => /^\s*-\s/.test(line))
  const indent = dash(lines[start] ?? '')
  let last = from
  for (let at = Math.max(start, 0) + 1; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line.trim() === '') continue
    if (dash(line) <= indent) break
    last = at + 1
  }
  return last
}
