import type { Expression, Template } from '../core/template.ts'
import type { DiagnosticCollector, Problem } from '../document/diagnostic-collector.ts'
import { type DocumentNode, entriesOf, type ScalarNode, type Span } from '../document/document-node.ts'
import { toValue } from '../document/plain-value.ts'
import { lookalikesIn } from '../expressions/lookalikes.ts'
import { type Node, parseExpression } from '../expressions/parse.ts'
import { readsRoot, referencesIn } from '../expressions/references.ts'
import { splitTemplate } from '../expressions/split-template.ts'
import { type ScalarOffsets, scalarOffsets } from './scalar-offsets.ts'

interface Source {
  /** Undefined if the syntax is wrong; that has been reported. */
  readonly node: Node | undefined
  /** The position in the document of a part of the expression. */
  readonly spanOf: (part: { start: number; end: number }) => Span
}

/** Finds the expressions in the values of one document, and records their positions. */
export class TemplateReader {
  readonly #text: string
  readonly #reporter: DiagnosticCollector
  readonly #sources = new Map<Expression, Source>()

  constructor(text: string, reporter: DiagnosticCollector) {
    this.#text = text
    this.#reporter = reporter
  }

  /** A value with its expressions; without expressions it is one plain value. */
  read(node: DocumentNode): Template {
    switch (node.kind) {
      case 'scalar':
        return typeof node.value === 'string'
          ? this.#scalarText(node, node.value)
          : { kind: 'value', value: node.value }
      case 'list': {
        const items = node.items.map((item) => this.read(item))
        return items.every(isPlain) ? { kind: 'value', value: toValue(node) } : { kind: 'list', items }
      }
      case 'map': {
        const entries = this.readEntries(node)
        return Object.values(entries).every(isPlain)
          ? { kind: 'value', value: toValue(node) }
          : { kind: 'map', entries }
      }
    }
  }

  /** Reads the values of a map as templates, one for each key. Returns an empty object if the node is not a map. */
  readEntries(node: DocumentNode | undefined): Readonly<Record<string, Template>> {
    return Object.fromEntries(entriesOf(node).map(([key, { value }]) => [key, this.read(value)]))
  }

  /** Reads a position that takes one whole expression and nothing else, such as `if`. */
  readExpression(node: DocumentNode | undefined, place: string): Expression | undefined {
    if (node?.kind !== 'scalar' || typeof node.value !== 'string') return undefined
    const template = this.read(node)
    if (template.kind === 'expression') return template.expression
    if (!hasUnclosed(node.value)) {
      const hint = asWhole(node.value)
      const message = `${place} must be one whole expression`
      this.#reporter.error({ code: 'not-an-expression', message, hint: `write ${hint}` }, node)
    }
    return undefined
  }

  /** Whether any expression read so far begins with a name, such as `last`. */
  readsRoot(root: string): boolean {
    return [...this.#sources.values()].some(({ node }) => node && readsRoot(referencesIn(node), root))
  }

  sourceOf(expression: Expression): Source | undefined {
    return this.#sources.get(expression)
  }

  #scalarText(node: ScalarNode, value: string): Template {
    if (!/[${]/.test(value)) return { kind: 'value', value }
    const offsets = scalarOffsets(this.#text, node)
    const parts: (string | Expression)[] = []
    for (const piece of splitTemplate(value)) {
      if (piece.kind === 'text') {
        this.#warnOfLookalikes(piece, offsets, node)
        if (parts.length > 0) this.#warnOfStrayBrace(piece, parts, offsets)
        parts.push(piece.text)
      } else if (piece.kind === 'unclosed') {
        const span = { start: offsets.at(piece.start), end: offsets.at(piece.start + 2) + 1 }
        const open = openQuote(value.slice(piece.start + 3))
        const hint = /[ \t]#/.test(this.#text.slice(node.end, node.end + 2))
          ? 'quote the value: # begins a comment'
          : open === undefined
            ? 'write }} where it ends'
            : `write another ${open} where the text ends`
        const message = 'the expression is not closed by }}'
        this.#reporter.error({ code: 'expression-syntax', message, hint }, span)
      } else {
        const { source, start, end } = piece
        parts.push(
          this.#expression(source, {
            verbatim: offsets.verbatim,
            at: (index) => offsets.at(start + index),
            end: offsets.at(end - 1) + 1,
          }),
        )
      }
    }
    const [only] = parts
    if (parts.length === 1 && only !== undefined && typeof only !== 'string') {
      return { kind: 'expression', expression: only }
    }
    if (parts.every((part) => typeof part === 'string')) return { kind: 'value', value }
    return { kind: 'text', parts }
  }

  #expression(source: string, place: { verbatim: boolean; at: (index: number) => number; end: number }): Expression {
    const spanOf = ({ start, end }: { start: number; end: number }): Span => {
      const first = place.at(Math.min(start, source.length))
      return { start: first, end: end > start ? place.at(Math.min(end, source.length) - 1) + 1 : first }
    }
    const at = this.#reporter.positionOf({ start: place.at(0), end: place.end })
    const expression: Expression = { source, at, folded: place.verbatim ? undefined : true }
    const parsed = parseExpression(source)
    if ('problem' in parsed) {
      this.#reporter.error(parsed.problem, spanOf(parsed.problem))
      this.#sources.set(expression, { node: undefined, spanOf })
    } else this.#sources.set(expression, { node: parsed.node, spanOf })
    return expression
  }

  /** Warns of a third brace at the end of an expression, unless it closes an earlier brace in the text, as in JSON. */
  #warnOfStrayBrace(
    piece: { text: string; start: number },
    before: readonly (string | Expression)[],
    offsets: ScalarOffsets,
  ): void {
    const opens = before.some((part) => typeof part === 'string' && part.includes('{'))
    if (opens || !piece.text.startsWith('}')) return
    const start = offsets.at(piece.start)
    const problem = { code: 'bare-braces', message: 'the third } is plain text here', hint: 'leave it out' }
    this.#reporter.warning(problem, { start, end: start + 1 })
  }

  #warnOfLookalikes(piece: { text: string; start: number }, offsets: ScalarOffsets, node: ScalarNode): void {
    // Inside brackets, YAML needs quotes around an expression.
    const isInside = node.style === 'plain' && /^\s*[,}\]]/.test(this.#text.slice(node.end, node.end + 10))
    for (const { form, meant, start, end } of lookalikesIn(piece.text)) {
      const problem: Problem = {
        code: 'bare-braces',
        message: `${form} is plain text here`,
        hint: `write ${isInside ? `"${meant}"` : meant}`,
      }
      this.#reporter.warning(problem, {
        start: offsets.at(piece.start + start),
        end: offsets.at(piece.start + end - 1) + 1,
      })
    }
  }
}

/**
 * Turns text with parts outside its expressions into one expression: `${{ inputs.n }} > 1` becomes `${{ inputs.n >
 * 1 }}`.
 */
function asWhole(text: string): string {
  const pieces = splitTemplate(text).map((piece) => {
    if (piece.kind === 'expression') return piece.source
    return piece.kind === 'text' ? piece.text : ''
  })
  const source = pieces.join('').trim()
  return source === '' || 'problem' in parseExpression(source) ? `\${{ … }}` : `\${{ ${source} }}`
}

/** The quote that hides the }} of an expression, because it is opened but not closed. */
function openQuote(source: string): string | undefined {
  if (!source.includes('}}')) return undefined
  return ['"', "'"].find((quote) => source.split(quote).length % 2 === 0)
}

function isPlain(template: Template): boolean {
  return template.kind === 'value'
}

function hasUnclosed(value: string): boolean {
  return splitTemplate(value).some(({ kind }) => kind === 'unclosed')
}
