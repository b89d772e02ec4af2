/** A page's text: its blocks with an empty line between them, and where it comes from. */
export function page(...blocks: readonly string[]): string {
  const origin = '<!-- Generated from the code by `npm run generate`; do not edit. -->'
  return `${[origin, ...blocks].join('\n\n')}\n`
}

/** Cells longer than this stick out of their column instead of widening it. */
const MAX_PADDING = 40

/** A table with aligned columns, so that it reads as text too. */
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

export function bullets(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n')
}

export function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``
}

export function code(text: string): string {
  return `\`${text}\``
}

/** The fragment that a heading is linked with. */
export function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
