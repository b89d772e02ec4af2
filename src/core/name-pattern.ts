import { count } from './format/figures.ts'

/** A longer pattern has no use, because a file name has at most 255 bytes. */
export const MAX_PATTERN = 1000

/**
 * A test of file names against a pattern: `*` matches any characters, `?` one character, `[a-z]` one of a set, `[!a-z]`
 * one outside the set, `{csv,tsv}` one of several. Case matters. Hidden files match no pattern. Throws a SyntaxError
 * for a pattern that cannot be read.
 */
export function namePattern(pattern: string): (name: string) => boolean {
  const parts = patternParts(pattern)
  return (name) => !name.startsWith('.') && matchParts(parts, name)
}

/** The parts of a pattern. Throws a SyntaxError if it cannot be read. */
export function patternParts(pattern: string): readonly Part[] {
  if (pattern.length > MAX_PATTERN) throw new SyntaxError(`a pattern has at most ${count(MAX_PATTERN, 'character')}`)
  const parts: Part[] = []
  addParts(pattern, parts)
  return parts
}

/** Code points from one to another, both included. */
export type Range = readonly [number, number]

/**
 * `one`: one character. `many`: any number of them. `fork`: continues at any of these positions. The position of a part
 * is its index.
 */
export type Part =
  | { readonly kind: 'one'; readonly ranges: readonly Range[] }
  | { readonly kind: 'many' }
  | { readonly kind: 'fork'; readonly to: readonly number[] }

const TOKEN = /\[(!?)([^\]]+)\]|\{([^{}]*)\}|./gsu

function addParts(pattern: string, parts: Part[]): void {
  for (const [token, not, set, choices] of pattern.matchAll(TOKEN)) {
    if (set !== undefined) parts.push({ kind: 'one', ranges: setOf(set, not === '!') })
    else if (choices !== undefined) addChoices(choices.split(','), parts)
    else if (token === '*') parts.push({ kind: 'many' })
    else if (token === '?') parts.push({ kind: 'one', ranges: [[0, LAST_POINT]] })
    else parts.push({ kind: 'one', ranges: [[pointOf(token), pointOf(token)]] })
  }
}

function addChoices(choices: readonly string[], parts: Part[]): void {
  const begins: number[] = []
  const end: number[] = []
  parts.push({ kind: 'fork', to: begins })
  for (const choice of choices) {
    begins.push(parts.length)
    addParts(choice, parts)
    parts.push({ kind: 'fork', to: end })
  }
  end.push(parts.length)
}

function setOf(set: string, isOutside: boolean): readonly Range[] {
  const ranges: Range[] = []
  const points = Array.from(set, pointOf)
  for (let at = 0; at < points.length; at++) {
    const from = points[at] ?? 0
    const isRange = points[at + 1] === DASH && at + 2 < points.length
    const to = isRange ? (points[at + 2] ?? 0) : from
    if (to < from) throw new SyntaxError(`the range in [${set}] is the wrong way round`)
    ranges.push([from, to])
    if (isRange) at += 2
  }
  return isOutside ? outside(ranges) : ranges
}

function outside(ranges: readonly Range[]): readonly Range[] {
  const others: Range[] = []
  let next = 0
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    if (from > next) others.push([next, from - 1])
    next = Math.max(next, to + 1)
  }
  if (next <= LAST_POINT) others.push([next, LAST_POINT])
  return others
}

/** The last code point of Unicode. */
const LAST_POINT = 0x10ffff

const DASH = pointOf('-')

function pointOf(character: string): number {
  return character.codePointAt(0) ?? 0
}

function isIn(ranges: readonly Range[], point: number): boolean {
  return ranges.some(([from, to]) => from <= point && point <= to)
}

/**
 * Whether the whole name matches. For each character of the name, `same` returns the characters that it may stand for.
 * Takes at most pattern × name steps. For some patterns in documents, a regular expression would take exponential time.
 */
export function matchParts(
  parts: readonly Part[],
  name: string,
  same: (character: string) => readonly string[] = (character) => [character],
): boolean {
  /** For each position, the last step that reached it, so that a step visits each position once. */
  const reachedAt = new Int32Array(parts.length + 1)
  let step = 1
  const reach = (from: number, places: number[]) => {
    const waiting = [from]
    for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
      if (reachedAt[place] === step) continue
      reachedAt[place] = step
      const part = parts[place]
      if (part?.kind === 'fork') waiting.push(...part.to)
      else places.push(place)
      if (part?.kind === 'many') waiting.push(place + 1)
    }
  }
  let places: number[] = []
  reach(0, places)
  for (const character of name) {
    const forms = same(character).map(pointOf)
    const next: number[] = []
    step += 1
    for (const place of places) {
      const part = parts[place]
      if (part?.kind === 'many') reach(place, next)
      else if (part?.kind === 'one' && forms.some((point) => isIn(part.ranges, point))) reach(place + 1, next)
    }
    places = next
  }
  return reachedAt[parts.length] === step
}
