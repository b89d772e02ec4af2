/** The text of a page: its blocks, separated by empty lines, and a note on how it was generated. */
export function page(...blocks: readonly string[]): string {
  const origin = '<!-- Generated from the code by `npm run generate`; do not edit. -->'
  return `${[origin, ...blocks].join('\n\n')}\n`
}

/** Longer cells overflow their column instead of widening it. */
const MAX_PADDING = 40

/** A table with aligned columns, so that it is also readable as text. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map(cell))
  const widths = head.map((_, column) =>
    Math.min(MAX_PADDING, Math.max(3, ...cells.map((row) => row[column]?.length ?? 0))),
  )
  const line = (row: readonly string[]) =>
    `| ${row.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [first = [], ...others] = cells
  return [line(first), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...others.map(line)].join('\n')
}

/** Joins the texts with spaces, and leaves out those that are undefined. */
export function sentences(...texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined).join(' ')
}

export function bullets(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n')
}

export function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``
}

export function code(text: string): string {
  return `\`${text}\``
}

/** The fragment that links to a heading. */
export function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
