import type { Answer } from '../api/api-operation.ts'
import type { diff } from '../api/run-schemas.ts'

type Line = Answer<typeof diff>[number]

const AROUND = 3
/** More work than that is not done: then the texts count as wholly different between their common ends. */
const MOST_CELLS = 4_000_000

/** The differing lines of two texts with three lines around them; empty if the texts are equal. */
export function diffLines(before: string, after: string): readonly Line[] {
  if (before === after) return []
  const [a, b] = [before.split('\n'), after.split('\n')]
  let start = 0
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  const middle = changes(a.slice(start, a.length - end), b.slice(start, b.length - end))
  const same = (text: string): Step => ({ kind: 'same', text })
  const all = [...a.slice(0, start).map(same), ...middle, ...a.slice(a.length - end).map(same)]
  return numbered(all).filter((_, index, lines) =>
    lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(({ kind }) => kind !== 'same'),
  )
}

interface Step {
  readonly kind: Line['kind']
  readonly text: string
}

/** By the longest common subsequence. */
function changes(a: readonly string[], b: readonly string[]): Step[] {
  const removed = (text: string): Step => ({ kind: 'removed', text })
  const added = (text: string): Step => ({ kind: 'added', text })
  const width = b.length + 1
  if ((a.length + 1) * width > MOST_CELLS) return [...a.map(removed), ...b.map(added)]
  const longest = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number) => longest[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const steps: Step[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      steps.push({ kind: 'same', text: a[i++] ?? '' })
      j++
    } else if (j === b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) steps.push(removed(a[i++] ?? ''))
    else steps.push(added(b[j++] ?? ''))
  }
  return steps
}

function numbered(steps: readonly Step[]): Line[] {
  let [before, after] = [0, 0]
  return steps.map(({ kind, text }) => ({
    kind,
    text,
    ...(kind !== 'added' && { before: ++before }),
    ...(kind !== 'removed' && { after: ++after }),
  }))
}
