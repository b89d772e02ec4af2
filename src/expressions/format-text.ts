import { MAX_TEXT } from './budget.ts'
import { byCodePoint } from './by-code-point.ts'
import { textOfValue } from './conversion-functions.ts'
import { OperationError } from './failure.ts'
import { type FunctionCall, textAt } from './function-definition.ts'
import { describeValue, isList, isMap, type Value } from './value.ts'

/** The cost of writing a number, in units. */
const ROUNDING_UNITS = 50

/** `"%s has %d rows".format([name, count])`, as in CEL's library of string functions. */
export function formatText(call: FunctionCall): string {
  const text = textAt(call, 0)
  const values = call.args[1] ?? null
  call.spend(1 + text.length)
  const pieces = piecesOf(text)
  const output = new Output(call)
  let next = 0
  for (const piece of pieces) {
    if (typeof piece === 'string') output.write(piece)
    else {
      const value = isList(values) ? values[next++] : undefined
      if (value === undefined) throw new OperationError(TOO_FEW)
      writeValue(output, piece, value)
    }
  }
  return output.text()
}

/** The error in a text for `format`, or in the number of values if that is known. */
export function formatProblem(text: string, values?: number): { message: string; isCount: boolean } | undefined {
  try {
    const clauses = piecesOf(text).filter((piece) => typeof piece !== 'string')
    return values !== undefined && values < clauses.length ? { message: TOO_FEW, isCount: true } : undefined
  } catch (error) {
    if (error instanceof OperationError) return { message: error.message, isCount: false }
    throw error
  }
}

const TOO_FEW = 'format() has fewer values than the text has clauses'

/** Collects the text, and charges the budget for each part. */
class Output {
  readonly call: FunctionCall
  readonly #parts: string[] = []
  #length = 0

  constructor(call: FunctionCall) {
    this.call = call
  }

  write(text: string): void {
    this.#length += text.length
    this.call.spendText(this.#length > MAX_TEXT ? this.#length : text.length)
    this.#parts.push(text)
  }

  text(): string {
    return this.#parts.join('')
  }
}

interface Clause {
  readonly verb: string
  readonly digits: number
}

function piecesOf(text: string): readonly (string | Clause)[] {
  const pieces: (string | Clause)[] = []
  let at = 0
  for (const match of text.matchAll(CLAUSE)) {
    const [whole, digits, verb = ''] = match
    pieces.push(text.slice(at, match.index))
    at = match.index + whole.length
    if (whole === '%%') pieces.push('%')
    else if ('sdfexXob'.includes(verb || '?') && (digits === undefined || ('fe'.includes(verb) && +digits <= 20))) {
      pieces.push({ verb, digits: digits === undefined ? 6 : Number(digits) })
    } else throw new OperationError(UNKNOWN_CLAUSE)
  }
  pieces.push(text.slice(at))
  return pieces
}

const CLAUSE = /%(?:%|(?:\.(\d{1,3}))?([A-Za-z]))?/g
const UNKNOWN_CLAUSE =
  'a clause of format() is %s, %d, %f or %.2f, %e or %.2e (at most 20 digits), %x, %X, %o or %b; a percent sign is %%'

function writeValue(output: Output, clause: Clause, value: Value): void {
  if (clause.verb === 's') {
    writeAny(output, value)
    return
  }
  output.call.spend(ROUNDING_UNITS)
  output.write(clauseText(clause, value))
}

function clauseText(clause: Clause, value: Value): string {
  const text = typeof value === 'string' ? hexText(clause, value) : numberText(clause, value)
  if (text !== undefined) return text
  const takes = WHAT_CLAUSES_TAKE[clause.verb]
  throw new OperationError(`%${clause.verb} takes ${takes}, but this is ${describeValue(value)}`)
}

const WHAT_CLAUSES_TAKE: Readonly<Record<string, string>> = {
  d: 'an integer',
  f: 'a number',
  e: 'a number',
  x: 'an integer or a string',
  X: 'an integer or a string',
  o: 'an integer',
  b: 'an integer or a boolean',
}

function hexText(clause: Clause, value: string): string | undefined {
  return BASES[clause.verb] === 16 ? inCase(clause, Buffer.from(value).toString('hex')) : undefined
}

function numberText(clause: Clause, value: Value): string | undefined {
  const { verb, digits } = clause
  if (verb === 'f' || verb === 'e') {
    const isNumber = typeof value === 'number' || typeof value === 'bigint'
    return isNumber ? roundedTo(digits, Number(value), { exponent: verb === 'e' }) : undefined
  }
  if (verb === 'd' && typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (verb === 'b' && typeof value === 'boolean') return value ? '1' : '0'
  return typeof value === 'bigint' ? inCase(clause, value.toString(BASES[verb])) : undefined
}

const BASES: Readonly<Record<string, number>> = { d: 10, x: 16, X: 16, o: 8, b: 2 }

function inCase({ verb }: Clause, text: string): string {
  return verb === 'X' ? text.toUpperCase() : text
}

/** Any value as text; lists in brackets, maps in braces with their keys in order. */
function writeAny(output: Output, value: Value): void {
  output.call.spend(2)
  if (isList(value)) {
    output.write('[')
    for (const [index, item] of value.entries()) {
      if (index > 0) output.write(', ')
      writeAny(output, item)
    }
    output.write(']')
  } else if (isMap(value)) {
    output.write('{')
    const keys = Object.keys(value)
    output.call.spend(keys.length)
    for (const [index, key] of keys.sort(byCodePoint).entries()) {
      output.write(`${index > 0 ? ', ' : ''}${key}: `)
      writeAny(output, value[key] ?? null)
    }
    output.write('}')
  } else output.write(textOfValue(value) ?? 'null')
}

/**
 * A number with a fixed number of digits after the decimal point. As in CEL and Go, a number exactly in the middle is
 * rounded to the even digit: 2.5 becomes 2 with no digits. JavaScript would give 3.
 */
export function roundedTo(digits: number, value: number, { exponent }: { exponent: boolean }): string {
  if (!Number.isFinite(value)) return String(value)
  // For numbers of this size, `toFixed` writes an exponent, and no double has a fraction.
  if (!exponent && Math.abs(value) >= 1e21) return `${BigInt(value)}${digits > 0 ? `.${'0'.repeat(digits)}` : ''}`
  const render = (count: number) => (exponent ? value.toExponential(count) : value.toFixed(count))
  return withTwoDigits(halfToEven(render, digits))
}

function halfToEven(render: (digits: number) => string, digits: number): string {
  const [exact = '', exponent] = render(100).split('e')
  const kept = exact.indexOf('.') + 1 + digits
  // 100 digits show whether the number is exactly in the middle. A double that is midway between two numbers of 20
  // digits has at most 21 digits.
  if (!/^50*$/.test(exact.slice(kept))) return render(digits)
  const lower = exact.slice(0, kept).replace(/\.$/, '')
  if (!/[02468]$/.test(lower)) return render(digits)
  return exponent === undefined ? lower : `${lower}e${exponent}`
}

/** An exponent has at least two digits: `1.5e+03`. */
function withTwoDigits(text: string): string {
  return text.replace(/e([+-])(\d)$/, 'e$10$2')
}
