/** Beyond this no pattern says anything about a file name, which has 255 bytes at the most. */
export const MAX_PATTERN = 1000

export interface FilePattern {
  /** Whether a file of this name is taken. */
  matches(name: string): boolean
  /** Whether it would be taken if upper and lower case were the same. */
  matchesInAnyCase(name: string): boolean
}

/**
 * A test of file names against a pattern: `*` matches any characters, `?` one character, `[a-z]` one of a set, `[!a-z]`
 * one outside the set, `{csv,tsv}` one of several. Case matters. Hidden files match no pattern.
 *
 * A regular expression takes exponential time for some patterns of a document. Here all ways through the pattern are
 * followed at once, so a name takes at most pattern × name steps. Throws a SyntaxError for a pattern that cannot be read.
 */
export function filePattern(pattern: string): FilePattern {
  if (pattern.length > MAX_PATTERN) throw new SyntaxError(`a pattern has at most ${MAX_PATTERN} characters`)
  const parts: Part[] = []
  addParts(pattern, parts)
  const isMatch = (name: string, same: (character: string) => readonly string[]) =>
    !name.startsWith('.') && matchAll(parts, name, same)
  return {
    matches: (name) => isMatch(name, (character) => [character]),
    matchesInAnyCase: (name) => isMatch(name, inAnyCase),
  }
}

/**
 * `one`: one character. `many`: any number of them. `fork`: goes on at any of these places; the places of all parts are
 * their numbers.
 */
type Part =
  | { readonly kind: 'one'; readonly fits: (character: string) => boolean }
  | { readonly kind: 'many' }
  | { readonly kind: 'fork'; readonly to: readonly number[] }

const TOKEN = /\[(!?)([^\]]+)\]|\{([^{}]*)\}|./gsu

function addParts(pattern: string, parts: Part[]): void {
  for (const [token, not, set, choices] of pattern.matchAll(TOKEN)) {
    if (set !== undefined) parts.push({ kind: 'one', fits: setOf(set, not === '!') })
    else if (choices !== undefined) addChoices(choices.split(','), parts)
    else if (token === '*') parts.push({ kind: 'many' })
    else if (token === '?') parts.push({ kind: 'one', fits: () => true })
    else parts.push({ kind: 'one', fits: (character) => character === token })
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

function setOf(set: string, isOutside: boolean): (character: string) => boolean {
  const ranges: (readonly [number, number])[] = []
  const points = Array.from(set, pointOf)
  for (let at = 0; at < points.length; at++) {
    const from = points[at] ?? 0
    const isRange = points[at + 1] === DASH && at + 2 < points.length
    const to = isRange ? (points[at + 2] ?? 0) : from
    if (to < from) throw new SyntaxError(`the range in [${set}] is the wrong way round`)
    ranges.push([from, to])
    if (isRange) at += 2
  }
  return (character) => {
    const point = pointOf(character)
    return ranges.some(([from, to]) => from <= point && point <= to) !== isOutside
  }
}

const DASH = pointOf('-')

function pointOf(character: string): number {
  return character.codePointAt(0) ?? 0
}

function inAnyCase(character: string): readonly string[] {
  return [character, character.toLowerCase(), character.toUpperCase()]
}

function matchAll(parts: readonly Part[], name: string, same: (character: string) => readonly string[]): boolean {
  /** For each place the last step that reached it, so that a step visits each place once. */
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
    const forms = same(character)
    const next: number[] = []
    step += 1
    for (const place of places) {
      const part = parts[place]
      if (part?.kind === 'many') reach(place, next)
      else if (part?.kind === 'one' && forms.some(part.fits)) reach(place + 1, next)
    }
    places = next
  }
  return reachedAt[parts.length] === step
}
