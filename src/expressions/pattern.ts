/**
 * Regular expressions in time proportional to pattern × text: an automaton that follows all alternatives at once, where
 * JavaScript's own engine can take exponential time and so would let a document hang the process. RE2's syntax without
 * captures, look-around and back references, which a test for a match does not need.
 */

/** What is wrong with a pattern; undefined when nothing is. */
export function patternProblem(pattern: string): string | undefined {
  try {
    compile(pattern)
    return undefined
  } catch (error) {
    if (error instanceof PatternError) return `not a valid regular expression: ${error.message}`
    throw error
  }
}

/** Whether a valid pattern is found in the text. `spend` is told the work before it is done. */
export function patternMatches(pattern: string, text: string, spend: (units: number) => void): boolean {
  spend(pattern.length)
  const program = compile(pattern)
  const seenAt = new Int32Array(program.length).fill(-1)
  let active: number[] = []
  let previous = -1
  for (let position = 0; ; ) {
    const current = position < text.length ? (text.codePointAt(position) ?? -1) : -1
    const next: number[] = []
    const ready: number[] = []
    // A match may begin anywhere, so that every place adds a new start.
    if (follow(program, [...active, 0], { previous, current, position }, seenAt, ready)) return true
    spend(1 + ready.length)
    if (current === -1) return false
    for (const index of ready) {
      const instruction = program[index]
      if (instruction?.op === 'take' && instruction.test(current)) next.push(index + 1)
    }
    active = next
    previous = current
    position += current > 0xffff ? 2 : 1
  }
}

type Test = (codePoint: number) => boolean

type Instruction =
  | { readonly op: 'take'; readonly test: Test }
  | { readonly op: 'either'; first: number; second: number }
  | { readonly op: 'assert'; readonly holds: (previous: number, current: number) => boolean }
  | { readonly op: 'match' }

type Program = readonly Instruction[]

interface Place {
  readonly previous: number
  readonly current: number
  readonly position: number
}

/** Follows everything that takes no character; true when the end of the program is reached. */
function follow(program: Program, from: readonly number[], place: Place, seenAt: Int32Array, ready: number[]): boolean {
  const stack = [...from]
  for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
    if (seenAt[index] === place.position) continue
    seenAt[index] = place.position
    const instruction = program[index]
    switch (instruction?.op) {
      case 'match':
        return true
      case 'take':
        ready.push(index)
        break
      case 'either':
        stack.push(instruction.first, instruction.second)
        break
      case 'assert':
        if (instruction.holds(place.previous, place.current)) stack.push(index + 1)
        break
    }
  }
  return false
}

class PatternError extends Error {}

const MAX_PATTERN = 500
const MAX_PROGRAM = 2000
const MAX_NESTING = 20

type Tree =
  | { readonly kind: 'test'; readonly test: Test }
  | { readonly kind: 'assert'; readonly holds: (previous: number, current: number) => boolean }
  | { readonly kind: 'sequence'; readonly parts: readonly Tree[] }
  | { readonly kind: 'choice'; readonly options: readonly Tree[] }
  | { readonly kind: 'repeat'; readonly part: Tree; readonly min: number; readonly max: number }

function compile(pattern: string): Program {
  if (pattern.length > MAX_PATTERN) throw new PatternError(`it is longer than ${MAX_PATTERN} characters`)
  const program: Instruction[] = []
  emit(program, new PatternReader(pattern).read())
  program.push({ op: 'match' })
  return program
}

function emit(program: Instruction[], tree: Tree): void {
  if (program.length > MAX_PROGRAM) throw new PatternError('it repeats too much')
  switch (tree.kind) {
    case 'test':
      program.push({ op: 'take', test: tree.test })
      break
    case 'assert':
      program.push({ op: 'assert', holds: tree.holds })
      break
    case 'sequence':
      for (const part of tree.parts) emit(program, part)
      break
    case 'choice':
      emitChoice(program, tree.options)
      break
    case 'repeat':
      emitRepeat(program, tree)
      break
  }
}

function emitChoice(program: Instruction[], options: readonly Tree[]): void {
  const exits: { first: number; second: number }[] = []
  for (const [index, option] of options.entries()) {
    if (index === options.length - 1) {
      emit(program, option)
      break
    }
    const fork = { op: 'either' as const, first: program.length + 1, second: 0 }
    program.push(fork)
    emit(program, option)
    const exit = { op: 'either' as const, first: 0, second: 0 }
    program.push(exit)
    exits.push(exit)
    fork.second = program.length
  }
  for (const exit of exits) exit.first = exit.second = program.length
}

function emitRepeat(program: Instruction[], { part, min, max }: Tree & { kind: 'repeat' }): void {
  for (let count = 0; count < min; count++) emit(program, part)
  if (max === Number.POSITIVE_INFINITY) {
    const fork = { op: 'either' as const, first: program.length + 1, second: 0 }
    const start = program.push(fork) - 1
    emit(program, part)
    program.push({ op: 'either', first: start, second: start })
    fork.second = program.length
    return
  }
  const forks: { second: number }[] = []
  for (let count = min; count < max; count++) {
    const fork = { op: 'either' as const, first: program.length + 1, second: 0 }
    program.push(fork)
    forks.push(fork)
    emit(program, part)
  }
  for (const fork of forks) fork.second = program.length
}

/** Reads a pattern from left to right; holds the place it is at. */
class PatternReader {
  readonly #characters: readonly string[]
  #at = 0
  #depth = 0

  constructor(pattern: string) {
    this.#characters = [...pattern]
  }

  read(): Tree {
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

  #choice(): Tree {
    if (++this.#depth > MAX_NESTING) throw new PatternError('it is nested too deeply')
    const options = [this.#sequence()]
    while (this.#peek() === '|') {
      this.#at++
      options.push(this.#sequence())
    }
    this.#depth--
    return options.length === 1 && options[0] ? options[0] : { kind: 'choice', options }
  }

  #sequence(): Tree {
    const parts: Tree[] = []
    for (let next = this.#peek(); next !== undefined && next !== '|' && next !== ')'; next = this.#peek()) {
      parts.push(this.#repeat())
    }
    return { kind: 'sequence', parts }
  }

  #repeat(): Tree {
    const part = this.#atom()
    const [min, max] = this.#bounds()
    if (min === 1 && max === 1) return part
    if (this.#peek() === '?') this.#at++
    if (/^[*+{]$/.test(this.#peek() ?? '')) throw new PatternError(`${this.#peek()} follows a repetition`)
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
    if (!match) throw new PatternError('{ is neither a repetition such as {2,5} nor written \\{')
    this.#at += match[0].length
    const min = Number(match[1])
    const max = match[2] === undefined ? min : match[3] === undefined ? Number.POSITIVE_INFINITY : Number(match[3])
    if (max < min) throw new PatternError(`${match[0]} is the wrong way round`)
    return [min, max]
  }

  #atom(): Tree {
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

  #group(): Tree {
    if (this.#peek() === '?') {
      this.#at++
      if (this.#peek() !== ':') throw new PatternError('of the groups with (? only (?: is known')
      this.#at++
    }
    const tree = this.#choice()
    this.#take(')')
    return tree
  }

  #escape(): Tree {
    if (this.#peek() === 'b') {
      this.#at++
      return { kind: 'assert', holds: (previous, current) => isWord(previous) !== isWord(current) }
    }
    return { kind: 'test', test: this.#escaped() }
  }

  #escaped(): Test {
    const character = this.#take()
    const known = CLASSES[character]
    if (known) return known
    const control = CONTROLS[character]
    if (control) return is(control)
    if (/[A-Za-z0-9]/.test(character)) throw new PatternError(`\\${character} is not known`)
    return is(character)
  }

  #set(): Test {
    const negated = this.#peek() === '^'
    if (negated) this.#at++
    const tests: Test[] = []
    do {
      tests.push(this.#setItem())
    } while (this.#peek() !== ']')
    this.#at++
    return (codePoint) => tests.some((test) => test(codePoint)) !== negated
  }

  #setItem(): Test {
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

function is(character: string): Test {
  const wanted = character.codePointAt(0)
  return (codePoint) => codePoint === wanted
}

const isDigit: Test = (c) => c >= 48 && c <= 57
const isWord: Test = (c) => isDigit(c) || (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c === 95
const isSpace: Test = (c) => c === 32 || (c >= 9 && c <= 13)

const CLASSES: Readonly<Record<string, Test>> = {
  d: isDigit,
  D: (c) => !isDigit(c),
  w: isWord,
  W: (c) => !isWord(c),
  s: isSpace,
  S: (c) => !isSpace(c),
}
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f', v: '\v' }
