import { didYouMean } from '../core/did-you-mean.ts'
import { absentLiteral, absentMapKey, absentName } from './absent.ts'
import { checkCall } from './check-call.ts'
import type { Checking } from './checking.ts'
import { MAX_INT } from './int64.ts'
import { possibleResults } from './operators.ts'
import type { ExpressionProblem, Node } from './parse.ts'
import { DYN, describeType, type Kind, type RecordType, type Type, withArticle } from './types.ts'

/** The names that an expression can begin with, and their types. */
export type Names = Readonly<Record<string, Type>>

export interface CheckResult {
  /** `dyn` if the type is unknown before the run, or if something is wrong. */
  readonly type: Type
  readonly problems: readonly ExpressionProblem[]
}

/** The type of an expression, and every problem in it. */
export function checkExpression(node: Node, names: Names): CheckResult {
  const problems: ExpressionProblem[] = []
  const type = new Checker(problems, names).check(node)
  return { type, problems }
}

class Checker implements Checking {
  readonly #problems: ExpressionProblem[]
  readonly #names: Names

  constructor(problems: ExpressionProblem[], names: Names) {
    this.#problems = problems
    this.#names = names
  }

  within(name: string, type: Type): Checker {
    return new Checker(this.#problems, { ...this.#names, [name]: type })
  }

  report(problem: Omit<ExpressionProblem, 'start' | 'end'>, node: { start: number; end: number }): Type {
    this.#problems.push({ ...problem, start: node.start, end: node.end })
    return DYN
  }

  check(node: Node): Type {
    const type = this.#typeOf(node)
    return isClosed(type) ? this.#computedField(node) : type
  }

  #typeOf(node: Node): Type {
    switch (node.op) {
      case 'value':
        return this.#literal(node.args, node)
      case 'id':
        return this.#name(node.args, node)
      case '.':
        return this.#field(node)
      case '[]':
        return this.#item(node)
      case 'call':
        return checkCall(this, { node, name: node.args[0], receiver: undefined, argumentNodes: node.args[1] })
      case 'rcall':
        return checkCall(this, { node, name: node.args[0], receiver: node.args[1], argumentNodes: node.args[2] })
      case 'list':
        return { kind: 'list', items: common(node.args.map((element) => this.check(element))) }
      case 'map':
        return this.#map(node.args)
      case '?:':
        this.expectBoolean(node.args[0])
        return common([this.check(node.args[1]), this.check(node.args[2])])
      case '&&':
      case '||':
        for (const side of node.args) this.expectBoolean(side)
        return { kind: 'bool' }
      case '!_':
        this.expectBoolean(node.args)
        return { kind: 'bool' }
      case '-_':
        return this.#negative(node.args)
      case '==':
      case '!=':
        return this.#equality(node, node.args)
      case 'in':
        return this.#membership(node, node.args)
      case '+':
      case '-':
      case '*':
      case '/':
      case '%':
      case '<':
      case '<=':
      case '>':
      case '>=':
        return this.#binary(node.op, node, node.args)
      default:
        return this.report({ code: 'expression-syntax', message: `${node.op} is not part of the language` }, node)
    }
  }

  expectBoolean(node: Node): void {
    const type = this.check(node)
    if (type.kind === 'bool' || type.kind === 'dyn') return
    this.report(
      { code: 'expression-type', message: `a boolean is needed here, this is ${withArticle(describeType(type))}` },
      node,
    )
  }

  #literal(value: unknown, node: Node): Type {
    switch (typeof value) {
      case 'string':
        return { kind: 'string', values: [value] }
      case 'bigint':
        if (value <= MAX_INT) return { kind: 'int' }
        return this.report({ code: 'expression-type', message: 'the integer does not fit 64 bits' }, node)
      case 'number':
        return { kind: 'double' }
      case 'boolean':
        return { kind: 'bool' }
      default:
        if (value === null) return { kind: 'null' }
        return this.report(absentLiteral(value), node)
    }
  }

  #name(name: string, node: Node): Type {
    if (Object.hasOwn(this.#names, name)) return this.#names[name] ?? DYN
    const absent = absentName(name)
    if (absent) return this.report(absent, node)
    const known = Object.keys(this.#names)
    const hint = Object.hasOwn(ELSEWHERE, name) ? ELSEWHERE[name] : didYouMean(name, known)
    return this.report({ code: 'unknown-name', message: `${name} is not known here`, ...(hint && { hint }) }, node)
  }

  #field(node: Node & { op: '.' }): Type {
    const [left, name] = node.args
    const type = this.#typeOf(left)
    // The name is at the end of the node: underline that part.
    return this.#fieldOf(type, name, { start: node.end - name.length, end: node.end })
  }

  #fieldOf(type: Type, name: string, place: { start: number; end: number }): Type {
    if (type.kind === 'dyn') return DYN
    if (type.kind !== 'map') {
      const message = `${withArticle(describeType(type))} has no field ${name}`
      return this.report({ code: 'unknown-field', message, ...fieldHint(type, name) }, place)
    }
    if (!type.record) return DYN
    const found = Object.hasOwn(type.record.fields, name) ? type.record.fields[name] : undefined
    return found ?? this.report(missingField(type.record, name), place)
  }

  #item(node: Node & { op: '[]' }): Type {
    const [left, index] = node.args
    const type = this.#typeOf(left)
    const indexType = this.check(index)
    if (isClosed(type)) {
      const isWritten = index.op === 'value' && typeof index.args === 'string'
      return isWritten ? this.#fieldOf(type, index.args, index) : this.#computedField(index)
    }
    if (type.kind === 'dyn' || indexType.kind === 'dyn') return type.kind === 'list' ? type.items : DYN
    if (type.kind === 'list') {
      if (indexType.kind === 'int') return type.items
      const message = `a list is indexed by an integer, this is ${withArticle(describeType(indexType))}`
      return this.report({ code: 'expression-type', message }, index)
    }
    if (type.kind === 'map') {
      // Unlike `.name`, a name in brackets is not checked: brackets can read a field that the schema does not name.
      if (indexType.kind === 'string') {
        const [name] = indexType.values ?? []
        const { fields = {} } = type.record ?? {}
        const isOne = name !== undefined && indexType.values?.length === 1
        return (isOne && Object.hasOwn(fields, name) ? fields[name] : undefined) ?? DYN
      }
      const message = `a map is indexed by a string, this is ${withArticle(describeType(indexType))}`
      return this.report({ code: 'expression-type', message }, index)
    }
    return this.report({ code: 'expression-type', message: `${withArticle(describeType(type))} has no items` }, node)
  }

  /**
   * At run time a place sees the steps that are done by then. Only a literal name shows whether the place waits for the
   * step.
   */
  #computedField(node: Node): Type {
    const message = 'an expression names the step that it reads; it cannot compute which one, or read all of them'
    const hint = 'write steps.ID or steps["ID"]'
    return this.report({ code: 'computed-step', message, hint }, node)
  }

  #map(entries: readonly (readonly [Node, Node])[]): Type {
    const fields: Record<string, Type> = {}
    for (const [key, value] of entries) {
      const keyType = this.check(key)
      const valueType = this.check(value)
      if (keyType.kind === 'string' && keyType.values?.length === 1) fields[keyType.values[0] ?? ''] = valueType
      else if (keyType.kind !== 'string' && keyType.kind !== 'dyn') {
        const isOfCel = keyType.kind === 'int' || keyType.kind === 'bool'
        const wrong = { code: 'expression-type', message: 'the key of a map is a string' } as const
        this.report(isOfCel ? absentMapKey() : wrong, key)
      }
    }
    return { kind: 'map' }
  }

  #negative(node: Node): Type {
    if (node.op === 'value' && node.args === MAX_INT + 1n) return { kind: 'int' }
    const type = this.check(node)
    if (type.kind === 'int' || type.kind === 'double' || type.kind === 'dyn') return type
    return this.report({ code: 'expression-type', message: `${withArticle(describeType(type))} has no negative` }, node)
  }

  #equality(node: Node, [left, right]: readonly [Node, Node]): Type {
    const [a, b] = [this.check(left), this.check(right)]
    if (!comparable(a, b)) {
      const message = `${withArticle(describeType(a))} never equals ${withArticle(describeType(b))}`
      this.report({ code: 'expression-type', message, ...conversionHint(a, b) }, node)
    } else if (a.kind === 'string' && b.kind === 'string' && a.values && b.values && disjoint(a.values, b.values)) {
      const [wrong, known] = a.values.length === 1 ? [a.values[0], b.values] : [b.values[0], a.values]
      const hint = didYouMean(wrong ?? '', known)
      this.report({ code: 'expression-type', message: 'the two sides are never equal', ...(hint && { hint }) }, node)
    }
    return { kind: 'bool' }
  }

  #membership(node: Node, [left, right]: readonly [Node, Node]): Type {
    const value = this.check(left)
    const collection = this.check(right)
    if (collection.kind === 'list') {
      if (!comparable(value, collection.items)) {
        const message = `${withArticle(describeType(value))} is never in a ${describeType(collection)}`
        this.report({ code: 'expression-type', message, ...conversionHint(value, collection.items) }, node)
      }
    } else if (collection.kind !== 'map' && collection.kind !== 'dyn') {
      const message = `in needs a list or a map, this is ${withArticle(describeType(collection))}`
      this.report({ code: 'expression-type', message }, right)
    }
    return { kind: 'bool' }
  }

  #binary(operator: string, node: Node, [left, right]: readonly [Node, Node]): Type {
    const [a, b] = [this.check(left), this.check(right)]
    const [result, ...others] = possibleResults(operator, a.kind, b.kind)
    if (result === undefined) {
      const message = `${operator} does not work on ${withArticle(describeType(a))} and ${withArticle(describeType(b))}`
      return this.report({ code: 'expression-type', message, ...conversionHint(a, b) }, node)
    }
    if (others.length > 0) return DYN
    if (result === 'list') return a.kind === 'list' && b.kind === 'list' ? common([a, b]) : { kind: 'list', items: DYN }
    return result === 'map' ? { kind: 'map' } : { kind: result }
  }
}

/** The common type of two or more types. */
function common(types: readonly Type[]): Type {
  const [first, ...rest] = types
  if (!first) return DYN
  let result: Type = first
  for (const type of rest) {
    if (type.kind !== result.kind) return DYN
    if (result.kind === 'string' && type.kind === 'string') {
      const values = result.values && type.values ? [...new Set([...result.values, ...type.values])] : undefined
      result = values && values.length <= 50 ? { kind: 'string', values } : { kind: 'string' }
    } else if (result.kind === 'list' && type.kind === 'list') {
      result = { kind: 'list', items: common([result.items, type.items]) }
    } else if (result.kind === 'map' && type !== result) result = { kind: 'map' }
  }
  return result
}

function comparable(a: Type, b: Type): boolean {
  if (a.kind === b.kind || a.kind === 'dyn' || b.kind === 'dyn' || a.kind === 'null' || b.kind === 'null') return true
  return isNumber(a.kind) && isNumber(b.kind)
}

const isNumber = (kind: Kind | 'dyn') => kind === 'int' || kind === 'double'

function disjoint(a: readonly string[], b: readonly string[]): boolean {
  return !a.some((value) => b.includes(value))
}

function missingField(record: RecordType, name: string): Omit<ExpressionProblem, 'start' | 'end'> {
  const explained = record.explainMissing?.(name)
  if (explained) return explained
  const hint = didYouMean(name, Object.keys(record.fields))
  return { code: 'unknown-field', message: `${name} is not ${withArticle(record.noun)}`, ...(hint && { hint }) }
}

function fieldHint(type: Type, name: string): { hint?: string } {
  if (type.kind !== 'list') return {}
  return { hint: `take one item first, such as [0].${name}, or map over the list` }
}

/** The conversion that would make an operation work. */
function conversionHint(a: Type, b: Type): { hint?: string } {
  const kinds = [a.kind, b.kind]
  if (kinds.includes('int') && kinds.includes('double')) return { hint: 'convert one: double(…), or write 2.0' }
  if (kinds.includes('string') && kinds.some((kind) => kind === 'int' || kind === 'double' || kind === 'bool')) {
    return { hint: 'convert one: string(…) or int(…)' }
  }
  if (kinds.includes('string') && kinds.includes('timestamp')) return { hint: 'convert the text: timestamp(…)' }
  return {}
}

/** Names from other systems, and names that are unknown in some places. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  outputs: 'outputs stands only in expect; elsewhere it is steps.ID.outputs',
  item: 'item stands only in a step with forEach',
  env: 'what stands here is recorded, and env may hold secrets: it stands only in with, if and check',
  input: 'inputs, with an s',
  step: 'steps, with an s',
  secrets: 'declare the name under env and write env.NAME',
  github: 'here it is run, inputs, steps, trigger and env',
}

function isClosed(type: Type): boolean {
  return type.kind === 'map' && type.record?.closed === true
}
