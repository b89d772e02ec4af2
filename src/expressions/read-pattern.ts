export type PatternTest = (codePoint: number) => boolean

export type PatternTree =
  | { readonly kind: 'test'; readonly test: PatternTest }
  | { readonly kind: 'assert'; readonly holds: (previous: number, current: number) => boolean }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternTree[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternTree[] }
  | { readonly kind: 'repeat'; readonly part: PatternTree; readonly min: number; readonly max: number }

/** The problem with a pattern. */
export class PatternError extends Error {}

const MAX_NESTING = 20

/** Reads a pattern from left to right and keeps its position. */
export class PatternReader {
  readonly #characters: readonly string[]
  #at = 0
  #depth = 0

  constructor(pattern: string) {
    this.#characters = [...pattern]
  }

  read(): PatternTree {
    const tree = this.#choice()
    if (this.#at < this.#characters.length) throw new PatternError(') without (')
    return tree
  }

  #peek(): string | undefined {
    return this.#characters[this.#at]
  }

  #take(expected?: string): string {
    const character = this.#peek()
    if (character === undefined || (expected !== undefined && character !== expected)) {
      throw new PatternError(expected === undefined ? 'it ends too early' : `${expected} is missing`)
    }
    this.#at++
    return character
  }

  #choice(): PatternTree {
    if (++this.#depth > MAX_NESTING) throw new PatternError('it is nested too deeply')
    const options = [this.#sequence()]
    while (this.#peek() === '|') {
      this.#at++
      options.push(this.#sequence())
    }
    this.#depth--
    return options.length === 1 && options[0] ? options[0] : { kind: 'choice', options }
  }

  #sequence(): PatternTree {
    const parts: PatternTree[] = []
    for (let next = this.#peek(); next !== undefined && next !== '|' && next !== ')'; next = this.#peek()) {
      parts.push(this.#repeat())
    }
    return { kind: 'sequence', parts }
  }

  #repeat(): PatternTree {
    const part = this.#atom()
    const [min, max] = this.#bounds()
    if (min === 1 && max === 1) return part
    if (this.#peek() === '?') this.#at++
    if (/^[*+{]$/.test(this.#peek() ?? '')) throw new PatternError(`${this.#peek()} cannot follow a repetition`)
    return { kind: 'repeat', part, min, max }
  }

  #bounds(): readonly [number, number] {
    const next = this.#peek()
    if (next === '*' || next === '+' || next === '?') {
      this.#at++
      return [next === '+' ? 1 : 0, next === '?' ? 1 : Number.POSITIVE_INFINITY]
    }
    if (next !== '{') return [1, 1]
    const rest = this.#characters.slice(this.#at, this.#at + 12).join('')
    const match = /^\{(\d{1,3})(,(\d{1,3})?)?\}/.exec(rest)
    if (!match) throw new PatternError('{ does not begin a repetition such as {2,5}; write \\{ for the character')
    this.#at += match[0].length
    const min = Number(match[1])
    const max = match[2] === undefined ? min : match[3] === undefined ? Number.POSITIVE_INFINITY : Number(match[3])
    if (max < min) throw new PatternError(`${match[0]} is the wrong way round`)
    return [min, max]
  }

  #atom(): PatternTree {
    const character = this.#take()
    switch (character) {
      case '(':
        return this.#group()
      case '[':
        return { kind: 'test', test: this.#set() }
      case '.':
        return { kind: 'test', test: (codePoint) => codePoint !== 10 }
      case '^':
        return { kind: 'assert', holds: (previous) => previous === -1 }
      case '$':
        return { kind: 'assert', holds: (_previous, current) => current === -1 }
      case '*':
      case '+':
      case '?':
      case '{':
        throw new PatternError(`${character} has nothing to repeat`)
      case '\\':
        return this.#escape()
      default:
        return { kind: 'test', test: is(character) }
    }
  }

  #group(): PatternTree {
    if (this.#peek() === '?') {
      this.#at++
      if (this.#peek() !== ':') throw new PatternError('a group that begins with (? must begin with (?:')
      this.#at++
    }
    const tree = this.#choice()
    this.#take(')')
    return tree
  }

  #escape(): PatternTree {
    if (this.#peek() === 'b') {
      this.#at++
      return { kind: 'assert', holds: (previous, current) => isWord(previous) !== isWord(current) }
    }
    return { kind: 'test', test: this.#escaped() }
  }

  #escaped(): PatternTest {
    const character = this.#take()
    const known = CLASSES[character]
    if (known) return known
    const control = CONTROLS[character]
    if (control) return is(control)
    if (/[A-Za-z0-9]/.test(character)) throw new PatternError(`\\${character} is not known`)
    return is(character)
  }

  #set(): PatternTest {
    const negated = this.#peek() === '^'
    if (negated) this.#at++
    const tests: PatternTest[] = []
    do {
      tests.push(this.#setItem())
    } while (this.#peek() !== ']')
    this.#at++
    return (codePoint) => tests.some((test) => test(codePoint)) !== negated
  }

  #setItem(): PatternTest {
    const character = this.#take()
    if (character === '\\' && CLASSES[this.#peek() ?? '']) return this.#escaped()
    const low = character === '\\' ? this.#setEscape() : character
    if (this.#peek() !== '-' || this.#characters[this.#at + 1] === ']') return is(low)
    this.#at++
    const last = this.#take()
    const high = last === '\\' ? this.#setEscape() : last
    const [from, to] = [low.codePointAt(0) ?? 0, high.codePointAt(0) ?? 0]
    if (to < from) throw new PatternError(`${low}-${high} is the wrong way round`)
    return (codePoint) => codePoint >= from && codePoint <= to
  }

  #setEscape(): string {
    const character = this.#take()
    const control = CONTROLS[character]
    if (control) return control
    if (/[A-Za-z0-9]/.test(character)) throw new PatternError(`\\${character} is not known in […]`)
    return character
  }
}

function is(character: string): PatternTest {
  const wanted = character.codePointAt(0)
  return (codePoint) => codePoint === wanted
}

const isDigit: PatternTest = (c) => c >= 48 && c <= 57
const isWord: PatternTest = (c) => isDigit(c) || (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c === 95
/** As in RE2, this does not include the vertical tab. */
const isSpace: PatternTest = (c) => c === 32 || c === 9 || c === 10 || c === 12 || c === 13

const CLASSES: Readonly<Record<string, PatternTest>> = {
  d: isDigit,
  D: (c) => !isDigit(c),
  w: isWord,
  W: (c) => !isWord(c),
  s: isSpace,
  S: (c) => !isSpace(c),
}
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f', v: '\v' }
