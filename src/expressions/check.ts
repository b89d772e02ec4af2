import { closestName, didYouMean } from '../core/did-you-mean.ts'
import { absentLiteral, absentMapKey, absentName } from './absent.ts'
import { checkField, checkItem, computedField, isClosed } from './check-access.ts'
import { checkCall } from './check-call.ts'
import { checkBinary, checkEquality, checkMembership, checkNegative } from './check-operator.ts'
import type { Checking } from './checking.ts'
import { MAX_INT } from './int64.ts'
import type { ExpressionProblem, Node } from './parse.ts'
import { commonType, DYN, describeType, type Type } from './types.ts'

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

  mismatch(message: string, node: Node, hint?: string): Type {
    return this.report({ code: 'expression-type', message, hint }, node)
  }

  check(node: Node): Type {
    const type = this.typeOf(node)
    return isClosed(type) ? computedField(this, node) : type
  }

  isSound(node: Node): boolean {
    const before = this.#problems.length
    this.check(node)
    return this.#problems.length === before
  }

  typeOf(node: Node): Type {
    switch (node.op) {
      case 'value':
        return this.#literal(node.args, node)
      case 'id':
        return this.#name(node.args, node)
      case '.':
        return checkField(this, node)
      case '[]':
        return checkItem(this, node)
      case 'call':
        return checkCall(this, { node, name: node.args[0], receiver: undefined, argumentNodes: node.args[1] })
      case 'rcall':
        return checkCall(this, { node, name: node.args[0], receiver: node.args[1], argumentNodes: node.args[2] })
      case 'list':
        return { kind: 'list', items: commonType(node.args.map((element) => this.check(element))) }
      case 'map':
        return this.#map(node.args)
      case '?:':
        this.expectBoolean(node.args[0])
        return commonType([this.check(node.args[1]), this.check(node.args[2])])
      case '||':
      case '&&':
        if (node.op === '||' && isFallback(node.args[1])) return this.#fallback(node.args)
        for (const side of node.args) this.expectBoolean(side)
        return { kind: 'bool' }
      case '!_':
        this.expectBoolean(node.args)
        return { kind: 'bool' }
      case '-_':
        return checkNegative(this, node.args)
      case '==':
      case '!=':
        return checkEquality(this, node, node.args)
      case 'in':
        return checkMembership(this, node, node.args)
      case '-':
        return this.#hyphened(node) ?? checkBinary(this, node.op, node, node.args)
      case '+':
      case '*':
      case '/':
      case '%':
      case '<':
      case '<=':
      case '>':
      case '>=':
        return checkBinary(this, node.op, node, node.args)
      default:
        return this.report({ code: 'expression-syntax', message: `${node.op} is not part of the language` }, node)
    }
  }

  expectBoolean(node: Node): void {
    const type = this.check(node)
    if (type.kind === 'bool' || type.kind === 'dyn') return
    this.mismatch(`a boolean is needed here, but this is ${describeType(type)}`, node)
  }

  #literal(value: unknown, node: Node): Type {
    switch (typeof value) {
      case 'string':
        return { kind: 'string', values: [value] }
      case 'bigint':
        if (value <= MAX_INT) return { kind: 'int' }
        return this.mismatch('the integer does not fit in 64 bits', node)
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
    const hint = this.#fieldNamed(name) ?? (Object.hasOwn(ELSEWHERE, name) ? ELSEWHERE[name] : didYouMean(name, known))
    return this.report({ code: 'unknown-name', message: `${name} is not known here`, hint }, node)
  }

  /** Reports `inputs.a || "x"`, which in other languages gives the text if there is no value. */
  #fallback([left, right]: readonly [Node, Node]): Type {
    this.check(left)
    const message = `a boolean is needed here, but this is ${describeType(this.check(right))}`
    return this.mismatch(message, right, 'write default(value, other value)')
  }

  /** Reports a name with hyphens. */
  #hyphened(node: Node): Type | undefined {
    const isKnown = (name: string) =>
      Object.hasOwn(this.#names, name) || isRoot(name) || this.#fieldNamed(name) !== undefined
    const found = hyphenedName(node, isKnown)
    if (!found || found.parts.length === 1) return undefined
    const type = this.typeOf(found.owner)
    const fields = type.kind === 'map' && type.record ? Object.keys(type.record.fields) : []
    const written = found.parts.join('_')
    return this.report(
      {
        code: 'unknown-name',
        message: `${found.parts.join('-')} is read as ${found.parts.join(' minus ')}`,
        hint: `names have no hyphen: write ${closestName(written, fields) ?? written}`,
      },
      found,
    )
  }

  /** The hint for the name of an input, a variable, a step or a field of the run, if its root was left out. */
  #fieldNamed(name: string): string | undefined {
    const root = ['inputs', 'variables', 'steps', 'run'].find((each) => {
      const type = this.#names[each]
      return type?.kind === 'map' && type.record && Object.hasOwn(type.record.fields, name)
    })
    return root && `write ${root}.${name}`
  }

  #map(entries: readonly (readonly [Node, Node])[]): Type {
    for (const [key, value] of entries) {
      const { kind } = this.check(key)
      this.check(value)
      if (kind === 'string' || kind === 'dyn') continue
      if (kind === 'int' || kind === 'bool') this.report(absentMapKey(), key)
      else this.mismatch('the key of a map must be a string', key)
    }
    return { kind: 'map' }
  }
}

function isFallback(node: Node): boolean {
  return node.op === 'value' && typeof node.args !== 'boolean'
}

/** Whether any expression may begin with this name, or with a very similar one. */
function isRoot(name: string): boolean {
  return closestName(name, ROOTS) !== undefined
}

const ROOTS = ['inputs', 'variables', 'steps', 'trigger', 'run', 'env', 'last', 'outputs', 'item', 'index']

/** The hints for names from other systems, and for names that are known only in some places. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  outputs: 'outputs is only known in expect; elsewhere write steps.ID.outputs',
  item: 'only a step with forEach has items; its if is evaluated once, before the items: filter the list in forEach.items',
  env: 'values here are recorded, and env may hold secrets: use env only in with, if and check',
  input: 'inputs, with an s',
  step: 'steps, with an s',
  steps: 'the outputs of a step are known in the steps after it and in outputs',
  variables: 'they are declared at the top, as variables: { NAME: … }, and known in steps and outputs',
  secrets: 'declare the name under env and write env.NAME',
  github: 'the names here are run, inputs, steps, trigger and env',
}

/** A name with hyphens, which the parser reads as subtractions: `look-up` in `steps.look-up.outputs`. */
interface HyphenedName {
  readonly parts: readonly string[]
  /** The parent of the field, such as `steps`. */
  readonly owner: Node
  readonly start: number
  readonly end: number
}

/**
 * Finds a name with hyphens, read as a subtraction without blanks around the sign, if none of the subtracted names is
 * known.
 */
function hyphenedName(node: Node, isKnown: (name: string) => boolean): HyphenedName | undefined {
  if (node.op === '.') {
    const [owner, name] = node.args
    return { parts: [name], owner, start: node.end - name.length, end: node.end }
  }
  if (node.op !== '-') return undefined
  const left = hyphenedName(node.args[0], isKnown)
  const rest = firstName(node.args[1])
  if (!left || !rest || rest.start !== left.end + 1 || isKnown(rest.name)) return undefined
  return { ...left, parts: [...left.parts, rest.name], end: rest.start + rest.name.length }
}

/** The name that an expression such as `up.outputs.groups` begins with; in `2.outputs` the number. */
function firstName(node: Node): { readonly name: string; readonly start: number } | undefined {
  if (node.op === 'id') return { name: node.args, start: node.start }
  if (node.op !== '.') return undefined
  const [owner] = node.args
  if (owner.op === 'value' && typeof owner.args === 'bigint') return { name: String(owner.args), start: owner.start }
  return firstName(owner)
}
