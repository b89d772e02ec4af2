import { type Document, isAlias, isMap, isScalar, isSeq, Lexer, parseDocument, type Scalar, type YAMLMap } from 'yaml'
import { count } from '../core/format/figures.ts'
import { lookalikesIn } from '../expressions/lookalikes.ts'
import type { DiagnosticCollector, Problem } from './diagnostic-collector.ts'
import type { DocumentNode, Entry, MapNode, ScalarNode, Span } from './document-node.ts'
import { syntaxProblems } from './yaml-problems.ts'

/** The maximum number of nodes in a document with its aliases expanded. */
const MAX_NODES = 50_000
/** The maximum number of characters that aliases repeat: as many as a document may have. */
const MAX_REPEATED = 1_000_000
const MAX_DEPTH = 50
/**
 * The maximum number of YAML tokens that are parsed. Parsing that many takes a second, and a daemon does not respond to
 * anybody during that second. A list of 30,000 values has fewer.
 */
const MAX_TOKENS = 250_000

/**
 * The tree of a YAML 1.2 document; undefined if there is none, or if its syntax is broken, because then the tree would
 * be a guess. Reports every problem with the YAML. `beginning` says how a document begins, for the error about an empty
 * one.
 */
export function readYaml(
  text: string,
  reporter: DiagnosticCollector,
  beginning = 'a pipeline begins with version: 1',
): DocumentNode | undefined {
  if (hasTooManyTokens(text)) {
    const message = `the document has more than ${count(MAX_TOKENS, 'YAML token')}`
    const hint = 'put long lists into a file, and name the file'
    reporter.error({ code: 'document-too-large', message, hint }, { start: 0, end: 0 })
    return undefined
  }
  const document = parsed(text)
  if (!document) {
    reporter.error(TOO_DEEP, { start: 0, end: 0 })
    return undefined
  }
  const errors = [...document.errors, ...document.warnings]
  const problems = syntaxProblems(text, errors, (other) => parsed(other)?.errors)
  for (const { problem, span } of problems) reporter.error(problem, span)
  if (problems.length > 0) return undefined
  const builder = new TreeBuilder(text, reporter)
  const tree = builder.build(document.contents, 0)
  if (builder.lacksDash) return undefined
  if (!tree && !reporter.hasErrors) {
    const message = 'the document is empty'
    reporter.error({ code: 'empty-document', message, hint: beginning }, { start: 0, end: 0 })
  }
  return tree?.node
}

function hasTooManyTokens(text: string): boolean {
  // One character becomes at most three tokens.
  if (text.length * 3 <= MAX_TOKENS) return false
  let count = 0
  for (const _ of new Lexer().lex(text)) if (++count > MAX_TOKENS) return true
  return false
}

/** Undefined if the text is nested so deeply that the recursive parser runs out of stack. */
function parsed(text: string): Document | undefined {
  const { stackTraceLimit } = Error
  // The parser makes an error for each problem, and a million errors with stack traces take half a minute.
  Error.stackTraceLimit = 0
  try {
    return parseDocument(text, OPTIONS)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

const OPTIONS = {
  version: '1.2',
  schema: 'core',
  intAsBigInt: true,
  resolveKnownTags: false,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'error',
} as const

const TOO_DEEP: Problem = {
  code: 'too-deep',
  message: `the document is nested more than ${count(MAX_DEPTH, 'level')} deep`,
}

interface Built {
  readonly node: DocumentNode
  /** The number of nodes in it with its aliases expanded. */
  readonly size: number
  /** The number of characters of its texts and keys, with its aliases expanded. */
  readonly length: number
  readonly depth: number
}

/** Converts the parser's nodes into ours; remembers anchors. */
class TreeBuilder {
  readonly #text: string
  readonly #reporter: DiagnosticCollector
  readonly #anchors = new Map<string, Built>()
  #size = 0
  #repeated = 0
  #overflowed = false
  /** Whether an item of a list lacks its dash, so that the keys of two items are in one map. */
  lacksDash = false

  constructor(text: string, reporter: DiagnosticCollector) {
    this.#text = text
    this.#reporter = reporter
  }

  build(node: unknown, depth: number): Built | undefined {
    if (isAlias(node)) return this.#alias(node.source, spanOf(node))
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return undefined
    if (depth > MAX_DEPTH) {
      this.#reporter.error(TOO_DEEP, spanOf(node))
      return undefined
    }
    const built = isScalar(node)
      ? this.#leaf(this.#scalar(node))
      : isMap(node)
        ? this.#map(node, depth)
        : this.#list(node.items, spanOf(node), depth)
    if (node.anchor) this.#anchors.set(node.anchor, built)
    this.#size++
    return built
  }

  #alias(name: string, span: Span): Built | undefined {
    const built = this.#anchors.get(name)
    if (!built) {
      const message = `there is no complete anchor &${name} before this alias`
      const value = `*${name}`
      this.#reporter.onlyError({ code: 'unknown-alias', message, hint: `if it is text, quote it: "${value}"` }, span)
      return this.#leaf({ kind: 'scalar', value, style: 'plain', ...span })
    }
    this.#size += built.size
    this.#repeated += built.length
    if (this.#size <= MAX_NODES && this.#repeated <= MAX_REPEATED && built.depth < MAX_DEPTH) return built
    if (this.#overflowed) return undefined
    this.#overflowed = true
    const limit = this.#repeated > MAX_REPEATED ? count(MAX_REPEATED, 'character') : count(MAX_NODES, 'value')
    const message = `the aliases make the document larger than ${limit}`
    this.#reporter.error({ code: 'alias-bomb', message, hint: 'write the values out' }, span)
    return undefined
  }

  #leaf(node: ScalarNode): Built {
    return { node, size: 1, length: typeof node.value === 'string' ? node.value.length : 1, depth: 0 }
  }

  #scalar(node: Scalar): ScalarNode {
    const span = spanOf(node)
    const style = STYLES[node.type ?? 'PLAIN'] ?? 'plain'
    const source = this.#text.slice(span.start, span.end)
    if (style === 'plain' && typeof node.value === 'bigint' && /^[-+]?0\d/.test(source)) {
      const plain = source.replace(/^([-+]?)0+(?=\d)/, '$1')
      const message = `the integer ${source} begins with a zero`
      this.#reporter.onlyError({ code: 'leading-zero', message, hint: `write ${plain}, or "${source}" for text` }, span)
    }
    if (style === 'plain' && TYPOGRAPHIC.test(source)) this.#warnOfTypographicQuotes(source, span)
    const { value } = node
    if (typeof value === 'number' && !Number.isFinite(value)) {
      this.#reporter.wrongValue('infinity and not-a-number are not allowed', span)
      return { kind: 'scalar', value: 0, style, ...span }
    }
    const known = value === null || ['string', 'bigint', 'number', 'boolean'].includes(typeof value)
    return { kind: 'scalar', value: known ? (value as ScalarNode['value']) : null, style, ...span }
  }

  #warnOfTypographicQuotes(source: string, span: Span): void {
    const message = `the quotes ${source.charAt(0)} and ${source.charAt(source.length - 1)} are part of the text`
    const text = source.slice(1, -1)
    const hint = `write ${/^(true|false|-?\d+)$/.test(text) ? text : JSON.stringify(text)}`
    this.#reporter.warning({ code: 'typographic-quotes', message, hint }, span)
  }

  #map(node: YAMLMap, depth: number): Built {
    const braces = this.#bareBraces(node)
    if (braces) return this.#leaf(braces)
    const entries = new Map<string, Entry>()
    let size = 1
    let length = 0
    let deepest = 0
    for (const { key, value } of node.items) {
      const name = this.#key(key, node)
      const built = this.build(value, depth + 1)
      size += built?.size ?? 0
      length += (built?.length ?? 0) + (name?.length ?? 0)
      deepest = Math.max(deepest, (built?.depth ?? 0) + 1)
      // The value of the alias is unknown; the alias has already been reported.
      if (name === undefined || (isAlias(value) && !built)) continue
      const keySpan = spanOf(key)
      if (entries.has(name)) {
        if (entries.keys().next().value === name && this.#isItem(node)) this.#reportDash(name, keySpan)
        else if (!this.lacksDash) this.#reportTwice(name, keySpan)
        continue
      }
      const nothing: ScalarNode = { kind: 'scalar', value: null, style: 'plain', start: keySpan.end, end: keySpan.end }
      entries.set(name, { key: keySpan, value: built?.node ?? nothing })
    }
    const map: MapNode = { kind: 'map', entries, ...spanOf(node) }
    return { node: map, size, length, depth: deepest }
  }

  /**
   * Reports an expression that lacks both its $ and its quotes, because YAML reads its braces as a map in a map.
   * Returns an empty text in its place. An expression that has its $ is text or, inside { } or [ ], a syntax error that
   * has been reported before.
   */
  #bareBraces(map: YAMLMap): ScalarNode | undefined {
    const span = spanOf(map)
    const source = this.#text.slice(span.start, span.end)
    if (!source.startsWith('{{')) return undefined
    const [found] = lookalikesIn(source)
    const hint = `write "${found?.meant ?? EXAMPLE}", or quote text with braces`
    this.#reporter.onlyError({ code: 'bare-braces', message: 'YAML reads {{ }} as a map', hint }, span)
    return { kind: 'scalar', value: '', style: 'plain', ...span }
  }

  #isItem(map: YAMLMap): boolean {
    return /^ *- +$/.test(this.#text.slice(this.#text.lastIndexOf('\n', spanOf(map).start) + 1, spanOf(map).start))
  }

  #reportDash(name: string, span: Span): void {
    this.lacksDash = true
    const message = `the key ${name} is in this item twice`
    this.#reporter.error(
      { code: 'duplicate-key', message, hint: `begin the next item with a dash: - ${name}: …` },
      span,
    )
  }

  #reportTwice(name: string, span: Span): void {
    const message = `the key ${name} is in this map twice`
    this.#reporter.error({ code: 'duplicate-key', message, hint: 'leave one of them out' }, span)
  }

  #list(items: readonly unknown[], span: Span, depth: number): Built {
    const built = items.flatMap((item) => this.build(item, depth + 1) ?? [])
    return {
      node: { kind: 'list', items: built.map(({ node }) => node), ...span },
      size: built.reduce((sum, { size }) => sum + size, 1),
      length: built.reduce((sum, { length }) => sum + length, 0),
      depth: built.reduce((deepest, item) => Math.max(deepest, item.depth + 1), 0),
    }
  }

  /** The name of a key; undefined after reporting why there is none. */
  #key(key: unknown, map: YAMLMap): string | undefined {
    const span = isScalar(key) || isMap(key) || isSeq(key) || isAlias(key) ? spanOf(key) : spanOf(map)
    if (isScalar(key) && key.value === '__proto__') {
      this.#reporter.error({ code: 'wrong-name', message: '__proto__ cannot be the name of anything' }, span)
      return undefined
    }
    if (isScalar(key) && typeof key.value === 'string') {
      if (key.value !== '<<' || key.type !== 'PLAIN') return key.value
      const hint = 'YAML 1.2 has no merge keys; use defaults, or an anchor for one whole value'
      this.#reporter.error({ code: 'merge-key', message: 'merge keys (<<) are not part of the format', hint }, span)
      return undefined
    }
    const shown = isScalar(key) ? `the key ${this.#text.slice(span.start, span.end)}` : 'a list or a map as a key'
    this.#reporter.error({ code: 'key-not-text', message: `${shown} is not text`, hint: 'quote it' }, span)
    return undefined
  }
}

const EXAMPLE = `\${{ … }}`

/** Text in typographic quotes, as a word processor writes them. */
const TYPOGRAPHIC = /^[“”„«‘’‚][^“”„«»‘’‚]*[“”»‘’]$/

const STYLES: Readonly<Record<string, ScalarNode['style']>> = {
  QUOTE_SINGLE: 'single',
  QUOTE_DOUBLE: 'double',
  BLOCK_LITERAL: 'block',
  BLOCK_FOLDED: 'block',
}

function spanOf(node: unknown): Span {
  const range = (node as { range?: readonly [number, number, number] | null } | null)?.range
  return range ? { start: range[0], end: range[1] } : { start: 0, end: 0 }
}
