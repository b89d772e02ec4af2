import type { YAMLError } from 'yaml'
import type { Problem } from './diagnostic-collector.ts'
import type { Span } from './document-node.ts'

/** More than a person reads; a document full of mistakes has hundreds of thousands. */
const MAX_ERRORS = 50

export const UNQUOTED_EXPRESSION: Problem = {
  code: 'unquoted-expression',
  message: 'inside of { } or [ ] YAML reads the braces of an expression as a map',
  hint: `quote the whole value: "\${{ … }}"`,
}

/** The errors of the YAML parser, in our own words if these help more, without errors that only follow from others. */
export function syntaxProblems(text: string, errors: readonly YAMLError[]): { problem: Problem; span: Span }[] {
  const exhausted = errors.find(({ code }) => code === 'RESOURCE_EXHAUSTION')
  if (exhausted) return [problemOf(text, exhausted)]
  const sorted = errors.toSorted((a, b) => a.pos[0] - b.pos[0]).slice(0, MAX_ERRORS)
  const found = sorted
    .filter(({ code }, index) => index === 0 || code !== 'UNEXPECTED_TOKEN')
    .map((error) => problemOf(text, error))
  // An expression that YAML misreads causes several errors on its line; one of them says what to do.
  const misread = found.filter(({ problem }) => problem.code === 'unquoted-expression')
  const lines = misread.map(({ span }) => lineOf(text, span.start))
  const [first] = misread
  return found.filter(
    (other) => other === first || !lines.some((line) => other.span.start >= line.start && other.span.start <= line.end),
  )
}

function problemOf(text: string, error: YAMLError): { problem: Problem; span: Span } {
  const [start, end] = error.pos
  const line = lineOf(text, start)
  const lineText = text.slice(line.start, line.end)
  const expression = lineText.indexOf('${{')
  if (expression !== -1 && EXPRESSION_CODES.has(error.code)) {
    const inFlow = /[[{,]/.test(lineText.slice(0, expression))
    const at = line.start + expression
    return { problem: inFlow ? UNQUOTED_EXPRESSION : COLON_IN_EXPRESSION, span: { start: at, end: at + 3 } }
  }
  const span = { start, end: Math.max(end, start) }
  const known = KNOWN[error.code]
  if (known) return { problem: known, span }
  const message = error.message.charAt(0).toLowerCase() + error.message.slice(1)
  return { problem: { code: 'yaml-syntax', message: `not valid YAML: ${message}` }, span }
}

const COLON_IN_EXPRESSION: Problem = {
  code: 'unquoted-expression',
  message: 'YAML reads ": " in the expression as a key and its value',
  hint: `quote the whole value: '\${{ … }}'`,
}

/** The parser's codes for the braces, or a colon, of an expression without quotes. */
const EXPRESSION_CODES: ReadonlySet<string> = new Set([
  'BAD_INDENT',
  'MISSING_CHAR',
  'UNEXPECTED_TOKEN',
  'BLOCK_IN_FLOW',
  'BLOCK_AS_IMPLICIT_KEY',
])

const KNOWN: Readonly<Record<string, Problem>> = {
  TAB_AS_INDENT: {
    code: 'tab',
    message: 'a tab is used for indentation',
    hint: 'YAML wants spaces there',
  },
  MULTIPLE_DOCS: {
    code: 'several-documents',
    message: 'the file holds more than one document',
    hint: 'write each pipeline in a file of its own; --- begins another document',
  },
  TAG_RESOLVE_FAILED: {
    code: 'unknown-tag',
    message: 'tags (!name) are not part of the format',
  },
  RESOURCE_EXHAUSTION: {
    code: 'too-deep',
    message: 'the document is nested too deeply',
  },
}

function lineOf(text: string, offset: number): Span {
  const end = text.indexOf('\n', offset)
  return { start: text.lastIndexOf('\n', Math.max(0, offset - 1)) + 1, end: end === -1 ? text.length : end }
}
