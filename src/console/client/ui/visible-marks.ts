import { withVisibleMarks } from '../../../core/format/visible-marks.ts'

const SHOWN_ATTRIBUTES = ['title', 'aria-label', 'alt', 'placeholder'] as const

/**
 * Makes invisible characters, and characters that change the direction of text, visible in the text of an element. The
 * values of fields, and the texts that copy buttons copy, stay unchanged.
 */
export function showMarks(props: Record<string, unknown>): void {
  if ('children' in props) props.children = visible(props.children)
  for (const name of SHOWN_ATTRIBUTES) if (name in props) props[name] = visible(props[name])
}

function visible(shown: unknown): unknown {
  if (typeof shown === 'string') return withVisibleMarks(shown)
  return Array.isArray(shown) ? shown.map(visible) : shown
}
