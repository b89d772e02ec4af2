import { count } from '../core/format/figures.ts'
import { PatternError, PatternReader, type PatternTest as Test, type PatternTree as Tree } from './read-pattern.ts'

/**
 * Regular expressions in time proportional to pattern × text: an automaton that follows all alternatives at once.
 * JavaScript's own engine can take exponential time, so a document could hang the process. The syntax is RE2's without
 * captures, look-around and back references, which a test for a match does not need.
 */

/** The problem with a pattern; undefined if there is none. */
export function patternProblem(pattern: string): string | undefined {
  try {
    compile(pattern)
    return undefined
  } catch (error) {
    if (error instanceof PatternError) return `not a valid regular expression: ${error.message}`
    throw error
  }
}

/**
 * Whether the text contains a match of a valid pattern. `spend` is called with the amount of work before the work is
 * done.
 */
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
    // A match may begin anywhere, so every position adds a new start.
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

/** Follows all instructions that consume no character; returns true if it reaches the end of the program. */
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

const MAX_PATTERN = 500
const MAX_PROGRAM = 2000

function compile(pattern: string): Program {
  if (pattern.length > MAX_PATTERN) throw new PatternError(`it is longer than ${count(MAX_PATTERN, 'character')}`)
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
