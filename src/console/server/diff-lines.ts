import { diffArrays } from 'diff'
import type { ValueOf } from '../../core/json-schema.ts'
import type { diff } from '../api/run-schemas.ts'

type Line = ValueOf<typeof diff>[number]

const AROUND = 3
/**
 * More changes than this would take seconds to find. If there are more, everything between the common beginning and the
 * common end counts as different.
 */
const MOST_CHANGES = 1500

/** The lines that differ between two texts, with three lines around them; empty if the texts are equal. */
export function diffLines(before: string, after: string): readonly Line[] {
  if (before === after) return []
  const [a, b] = [before.split('\n'), after.split('\n')]
  const least = Math.min(a.length, b.length)
  let start = 0
  while (start < least && a[start] === b[start]) start++
  let end = 0
  while (end < least - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const lines = numbered([
    ...a.slice(0, start).map((text) => ({ kind: 'same', text }) as const),
    ...changes(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map((text) => ({ kind: 'same', text }) as const),
  ])
  const isShown = lines.map(() => false)
  for (const [at, { kind }] of lines.entries())
    if (kind !== 'same') isShown.fill(true, Math.max(0, at - AROUND), at + AROUND + 1)
  return lines.filter((_, at) => isShown[at])
}

function changes(a: string[], b: string[]): Pick<Line, 'kind' | 'text'>[] {
  const found = diffArrays(a, b, { maxEditLength: MOST_CHANGES }) ?? [
    { value: a, removed: true, added: false },
    { value: b, removed: false, added: true },
  ]
  return found.flatMap(({ value, removed, added }) =>
    value.map((text) => ({ kind: removed ? 'removed' : added ? 'added' : 'same', text }) as const),
  )
}

function numbered(lines: readonly Pick<Line, 'kind' | 'text'>[]): Line[] {
  let [before, after] = [0, 0]
  return lines.map(({ kind, text }) => ({
    kind,
    text,
    before: kind === 'added' ? undefined : ++before,
    after: kind === 'removed' ? undefined : ++after,
  }))
}
