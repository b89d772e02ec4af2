/**
 * Characters that change the direction of the text around them, or that are invisible. They can make a name look like
 * another one: `list\u202evsc.exe` looks like `listexe.csv`. The joiners of scripts and emoji (U+200C, U+200D) are
 * allowed.
 */
const MARKS =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0001}\u{e0020}-\u{e007f}]/gu
const SHOWN_ATTRIBUTES = ['title', 'aria-label', 'alt', 'placeholder'] as const

/** Replaces these characters in a text with visible codes, as in terminals. */
export function withShownMarks(text: string): string {
  return text.replace(MARKS, (mark) => `\\u${(mark.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
}

/**
 * Makes these characters visible in the text of an element. The values of fields, and the texts that copy buttons copy,
 * stay unchanged.
 */
export function showMarks(props: Record<string, unknown>): void {
  if ('children' in props) props.children = visible(props.children)
  for (const name of SHOWN_ATTRIBUTES) if (name in props) props[name] = visible(props[name])
}

function visible(shown: unknown): unknown {
  if (typeof shown === 'string') return withShownMarks(shown)
  return Array.isArray(shown) ? shown.map(visible) : shown
}
