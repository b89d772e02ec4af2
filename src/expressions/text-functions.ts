import { sha256 } from '../core/sha256.ts'
import { withoutEnds } from '../core/without-ends.ts'
import { OperationError } from './failure.ts'
import { formatProblem, formatText } from './format-text.ts'
import { type FunctionCall, type FunctionDefinition, textAt, textParameter } from './function-definition.ts'
import { patternMatches, patternProblem } from './pattern.ts'
import { charAt, contains, indexOf, substring } from './text-places.ts'
import { isList } from './value.ts'

const limit = { name: 'limit', kinds: ['int'], optional: true } as const

const methods: readonly Omit<FunctionDefinition, 'receiver'>[] = [
  {
    name: 'contains',
    parameters: [textParameter('part')],
    returns: 'bool',
    description: 'Whether the text contains the part.',
    example: { expression: '"auto intenders".contains("auto")', result: 'true' },
    run: contains,
  },
  {
    name: 'startsWith',
    parameters: [textParameter('start')],
    returns: 'bool',
    description: 'Whether the text begins with `start`.',
    example: { expression: '"inbox/a.csv".startsWith("inbox/")', result: 'true' },
    run: (call) => textAt(call, 0).startsWith(textAt(call, 1)),
  },
  {
    name: 'endsWith',
    parameters: [textParameter('end')],
    returns: 'bool',
    description: 'Whether the text ends with `end`.',
    example: { expression: '"inbox/a.csv".endsWith(".csv")', result: 'true' },
    run: (call) => textAt(call, 0).endsWith(textAt(call, 1)),
  },
  {
    name: 'matches',
    parameters: [{ name: 'pattern', kinds: ['string'], check: (pattern) => patternProblem(String(pattern)) }],
    returns: 'bool',
    description:
      'Whether the regular expression is found in the text; to match the whole text, anchor it with ^ and $. The syntax is RE2, which has no look-around or back references, so that the time is proportional to the length of the text.',
    example: { expression: '"seg-0042".matches("^seg-[0-9]+$")', result: 'true' },
    run: matches,
  },
  {
    name: 'lowerAscii',
    parameters: [],
    returns: 'string',
    description: 'The text with A to Z in lower case.',
    example: { expression: '"EMAIL".lowerAscii()', result: '"email"' },
    run: (call) => transform(call, (text) => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())),
  },
  {
    name: 'upperAscii',
    parameters: [],
    returns: 'string',
    description: 'The text with a to z in upper case.',
    example: { expression: '"email".upperAscii()', result: '"EMAIL"' },
    run: (call) => transform(call, (text) => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())),
  },
  {
    name: 'trim',
    parameters: [],
    returns: 'string',
    description: 'The text without white space at both ends.',
    example: { expression: '" a ".trim()', result: '"a"' },
    run: trim,
  },
  {
    name: 'replace',
    parameters: [textParameter('part'), textParameter('by'), limit],
    returns: 'string',
    description:
      'The text with every occurrence of the part replaced, or only the first ones, up to the limit. An empty part occurs before and after each character.',
    example: { expression: '"a b c".replace(" ", "-")', result: '"a-b-c"' },
    run: replace,
  },
  {
    name: 'split',
    parameters: [textParameter('separator'), limit],
    returns: 'list',
    infer: () => ({ kind: 'list', items: { kind: 'string' } }),
    description:
      'The parts of the text between the separators; at most as many as the limit says, and the last one holds the rest. An empty separator gives the characters.',
    example: { expression: '"a,b".split(",")', result: '["a", "b"]' },
    run: split,
  },
  {
    name: 'substring',
    parameters: [
      { name: 'start', kinds: ['int'] },
      { name: 'end', kinds: ['int'], optional: true },
    ],
    returns: 'string',
    description: 'The text from one position up to another, counted from 0; to the end if no other position is given.',
    example: { expression: '"2026-01-31".substring(0, 4)', result: '"2026"' },
    run: substring,
  },
  {
    name: 'indexOf',
    parameters: [textParameter('part')],
    returns: 'int',
    description: 'The position at which the part first occurs in the text, counted from 0; -1 if it does not occur.',
    example: { expression: '"a-b".indexOf("-")', result: '1' },
    run: indexOf,
  },
  {
    name: 'charAt',
    parameters: [{ name: 'index', kinds: ['int'] }],
    returns: 'string',
    description: 'The character at a position, counted from 0; an empty text at the position after the last character.',
    example: { expression: '"abc".charAt(1)', result: '"b"' },
    run: charAt,
  },
  {
    name: 'format',
    parameters: [{ name: 'values', kinds: ['list'] }],
    returns: 'string',
    infer: ([text, values]) => {
      const problem = typeof text?.literal === 'string' ? formatProblem(text.literal, values?.items) : undefined
      return problem === undefined ? undefined : { argument: problem.isCount ? 1 : 0, problem: problem.message }
    },
    description:
      'Replaces each clause of the text with the next value: %s any value, %d an integer, %.2f and %.2e a number with that many digits (6 by default, at most 20), %x, %X, %o and %b an integer in another base, %% a percent sign.',
    example: { expression: '"%s: %.1f %%".format(["CTR", 2.35])', result: '"CTR: 2.4 %"' },
    run: formatText,
  },
]

/** Functions and methods on text, file paths included. */
export const textFunctions: readonly FunctionDefinition[] = [
  ...methods.map((method) => ({ ...method, receiver: ['string'] as const })),
  {
    name: 'join',
    receiver: ['list'],
    parameters: [{ name: 'separator', kinds: ['string'], optional: true }],
    returns: 'string',
    description: 'The texts of a list as one text, with the separator between them.',
    example: { expression: '["CABLE", "VOD_ACTIVE"].join(", ")', result: '"CABLE, VOD_ACTIVE"' },
    run: join,
  },
  {
    name: 'fileName',
    parameters: [textParameter('path')],
    returns: 'string',
    description: 'The last part of a path.',
    example: { expression: 'fileName("inbox/auto.csv")', result: '"auto.csv"' },
    run: (call) => transform(call, fileName),
  },
  {
    name: 'fileStem',
    parameters: [textParameter('path')],
    returns: 'string',
    description: 'The last part of a path without its extension.',
    example: { expression: 'fileStem("inbox/auto.csv")', result: '"auto"' },
    run: (call) => transform(call, (path) => fileName(path).replace(/(?<=.)\.[^.]*$/, '')),
  },
  {
    name: 'sha256',
    parameters: [textParameter('text')],
    returns: 'string',
    description: 'The SHA-256 of the text in UTF-8, as 64 hexadecimal digits in lower case.',
    example: { expression: 'sha256("a@example.com").substring(0, 8)', result: '"08168cd8"' },
    run: (call) => {
      call.spend(10)
      return transform(call, sha256)
    },
  },
]

function transform(call: FunctionCall, change: (text: string) => string): string {
  const text = textAt(call, 0)
  call.spendText(text.length)
  return change(text)
}

function fileName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
}

function matches(call: FunctionCall): boolean {
  const [text, pattern] = [textAt(call, 0), textAt(call, 1)]
  const problem = patternProblem(pattern)
  if (problem) throw new OperationError(problem)
  return patternMatches(pattern, text, (units) => call.spend(units))
}

function replace(call: FunctionCall): string {
  const [text, part, by] = [textAt(call, 0), textAt(call, 1), textAt(call, 2)]
  call.spend(1 + text.length)
  const most = limitAt(call, 3)
  const parts = part === '' ? ['', ...text, ''] : text.split(part)
  const pieces = upTo(most + 1, parts, part)
  call.spendText(text.length + (pieces.length - 1) * (by.length - part.length))
  return pieces.join(by)
}

function split(call: FunctionCall): readonly string[] {
  const [text, separator] = [textAt(call, 0), textAt(call, 1)]
  call.spend(1 + text.length)
  const most = limitAt(call, 2)
  // With an empty separator, `text.split` would divide a character beyond U+FFFF.
  return most === 0 ? [] : upTo(most, separator === '' ? [...text] : text.split(separator), separator)
}

/** The limit that a call gives; no limit if it is absent or negative. */
function limitAt({ args }: FunctionCall, index: number): number {
  const limit = Number(args[index] ?? -1)
  return limit < 0 ? Number.POSITIVE_INFINITY : limit
}

/** The parts; the last one contains the rest. */
function upTo(most: number, parts: readonly string[], separator: string): readonly string[] {
  if (parts.length <= most) return parts
  return [...parts.slice(0, most - 1), parts.slice(most - 1).join(separator)]
}

function join(call: FunctionCall): string {
  const list = call.args[0] ?? null
  if (!isList(list)) return ''
  const separator = call.args.length > 1 ? textAt(call, 1) : ''
  call.spend(list.length)
  let length = 0
  const texts: string[] = []
  for (const item of list) {
    if (typeof item !== 'string')
      throw new OperationError('join() takes a list of strings; map it with string(…) first')
    length += item.length + separator.length
    texts.push(item)
  }
  call.spendText(length)
  return texts.join(separator)
}

/**
 * Removes Unicode's white space from both ends. JavaScript's own trim() keeps U+0085, and removes U+FEFF, which is not
 * white space.
 */
function trim(call: FunctionCall): string {
  const text = textAt(call, 0)
  call.spendText(text.length)
  const trimmed = withoutEnds(text, WHITE_SPACE)
  call.spend(text.length - trimmed.length)
  return trimmed
}

const WHITE_SPACE =
  '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000'
