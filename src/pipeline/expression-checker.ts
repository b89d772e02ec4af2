import type { JsonSchema } from '../core/json-schema.ts'
import type { Expression, Template } from '../core/template.ts'
import type { DiagnosticCollector, Problem } from '../document/diagnostic-collector.ts'
import { checkExpression, type Names } from '../expressions/check.ts'
import { DYN, describeType, type Type } from '../expressions/types.ts'
import { misfit } from './place-type.ts'
import type { TemplateReader } from './template-reader.ts'

/** Checks the expressions of one document and reports their problems at their positions. */
export class ExpressionChecker {
  readonly #templates: TemplateReader
  readonly #reporter: DiagnosticCollector

  constructor(templates: TemplateReader, reporter: DiagnosticCollector) {
    this.#templates = templates
    this.#reporter = reporter
  }

  /** The type of an expression; `dyn` if something is wrong with it. */
  check(expression: Expression, names: Names): Type {
    const source = this.#templates.sourceOf(expression)
    if (!source?.node) return DYN
    const { type, problems } = checkExpression(source.node, names)
    for (const problem of problems) this.#reporter.error(problem, source.spanOf(problem))
    return problems.length > 0 ? DYN : type
  }

  condition(expression: Expression | undefined, names: Names, place: string): void {
    if (!expression) return
    const type = this.check(expression, names)
    if (type.kind === 'bool' || type.kind === 'dyn') return
    const message = `${place} must be a boolean, but this is ${describeType(type)}`
    this.#at(expression, { code: 'expression-type', message, hint: 'compare it, for example …  > 0 or … != ""' })
  }

  /** Checks all expressions of a template against the schema of its position; returns the type of the whole. */
  template(template: Template, names: Names, schema: JsonSchema = {}): Type {
    switch (template.kind) {
      case 'value':
        return DYN
      case 'expression': {
        const type = this.check(template.expression, names)
        const problem = misfit(type, schema)
        if (problem) this.#at(template.expression, problem)
        return type
      }
      case 'text':
        this.#text(template.parts, names, schema)
        return { kind: 'string' }
      case 'list':
        return { kind: 'list', items: template.items.map((item) => this.template(item, names, schema.items))[0] ?? DYN }
      case 'map':
        for (const [key, entry] of Object.entries(template.entries)) {
          const { properties = {} } = schema
          this.template(entry, names, Object.hasOwn(properties, key) ? properties[key] : {})
        }
        return { kind: 'map' }
    }
  }

  #text(parts: readonly (string | Expression)[], names: Names, schema: JsonSchema): void {
    const problem = misfit({ kind: 'string' }, schema)
    for (const part of parts) {
      if (typeof part === 'string') continue
      const type = this.check(part, names)
      if (problem || !['list', 'map', 'null', 'duration'].includes(type.kind)) continue
      const message = `${describeType(type)} cannot be part of a text`
      const hint = type.kind === 'list' ? 'join it: ….join(", ")' : undefined
      this.#at(part, { code: 'expression-type', message, hint })
    }
    const first = parts.find((part) => typeof part !== 'string')
    if (problem && first && typeof first !== 'string') {
      const isLine = parts.every((part) => typeof part !== 'string' || part.trim() === '')
      const hint = isLine
        ? 'the line break makes it a string: write the expression beside the colon, without | or >'
        : 'text around an expression makes it a string; leave only the expression'
      this.#at(first, { ...problem, hint })
    }
  }

  #at(expression: Expression, problem: Problem): void {
    const source = this.#templates.sourceOf(expression)
    if (source) this.#reporter.error(problem, source.spanOf({ start: 0, end: expression.source.length }))
  }
}
