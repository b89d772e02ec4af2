import { type Part, patternParts, type Range } from '../../core/name-pattern.ts'

/**
 * Enough for two patterns of 50 characters; longer patterns count as overlapping. The limit keeps the check fast,
 * because a folder may have hundreds of triggers.
 */
const MAX_PAIRS = 2601

/** Whether there can be a file name that two patterns match; false for a pattern that cannot be read. */
export function mayMatchSame(one: string, other: string): boolean {
  const [a, b] = [partsOf(one), partsOf(other)]
  if (!a || !b) return false
  const width = b.length + 1
  if ((a.length + 1) * width > MAX_PAIRS) return true
  /**
   * The pairs of positions, one in each pattern, that some text can lead to. In the second half of the list, the text
   * has at least one character.
   */
  const half = (a.length + 1) * width
  const isReached = new Uint8Array(2 * half)
  const waiting: number[] = []
  const reach = (i: number, j: number, hasCharacter: boolean) => {
    const pair = i * width + j + (hasCharacter ? half : 0)
    if (isReached[pair] === 1) return
    isReached[pair] = 1
    waiting.push(pair)
  }
  reach(0, 0, false)
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    const hasCharacter = pair >= half
    const [i, j] = [Math.floor((pair % half) / width), (pair % half) % width]
    if (hasCharacter && i === a.length && j === b.length) return true
    for (const next of without(a[i], i)) reach(next, j, hasCharacter)
    for (const next of without(b[j], j)) reach(i, next, hasCharacter)
    const shared = common(rangesOf(a[i]), rangesOf(b[j]))
    if (hasCharacter ? shared.length > 0 : shared.some(([from, to]) => from !== DOT || to !== DOT))
      reach(after(a[i], i), after(b[j], j), true)
  }
  return false
}

/** Hidden files match no pattern. */
const DOT = '.'.charCodeAt(0)
const ANY: readonly Range[] = [[0, 0x10ffff]]

function partsOf(pattern: string): readonly Part[] | undefined {
  try {
    return patternParts(pattern)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The positions that follow a part if the part matches no character. */
function without(part: Part | undefined, place: number): readonly number[] {
  if (part?.kind === 'fork') return part.to
  return part?.kind === 'many' ? [place + 1] : []
}

function after(part: Part | undefined, place: number): number {
  return part?.kind === 'many' ? place : place + 1
}

function rangesOf(part: Part | undefined): readonly Range[] {
  if (part?.kind === 'many') return ANY
  return part?.kind === 'one' ? part.ranges : []
}

function common(one: readonly Range[], other: readonly Range[]): Range[] {
  return one.flatMap(([from, to]) =>
    other.flatMap(([first, last]): Range[] => {
      const [low, high] = [Math.max(from, first), Math.min(to, last)]
      return low <= high ? [[low, high]] : []
    }),
  )
}
