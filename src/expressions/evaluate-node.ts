import { absentLiteral } from './absent.ts'
import type { Budget } from './budget.ts'
import { evaluateMacro } from './evaluate-macro.ts'
import { type Binding, type EvaluationContext, isDecided, truth } from './evaluation-context.ts'
import { ExpressionFailure, OperationError } from './failure.ts'
import type { FunctionDefinition } from './function-definition.ts'
import { findFunction } from './functions.ts'
import { checkedInt64 } from './int64.ts'
import { findOverload } from './operators.ts'
import type { Node } from './parse.ts'
import {
  Duration,
  describeKind,
  describeValue,
  fieldOf,
  isList,
  isMap,
  kindOf,
  Timestamp,
  type Value,
} from './value.ts'

/** The value of an expression. Throws ExpressionFailure, and nothing else. */
export function evaluateNode(node: Node, context: EvaluationContext, bound?: Binding): Value {
  context.budget.spend(1, node)
  switch (node.op) {
    case 'value':
      return literal(node.args, node)
    case 'id':
      return lookUp(node.args, node, context, bound)
    case '.':
      return field(evaluateNode(node.args[0], context, bound), node.args[1], node)
    case '[]':
      return item(evaluateNode(node.args[0], context, bound), evaluateNode(node.args[1], context, bound), node)
    case 'call':
      return call(node, node.args[0], undefined, node.args[1], context, bound)
    case 'rcall':
      return call(node, node.args[0], node.args[1], node.args[2], context, bound)
    case 'list':
      return node.args.map((element) => evaluateNode(element, context, bound))
    case 'map':
      return map(node.args, context, bound)
    case '?:':
      return truth(evaluateNode(node.args[0], context, bound), node.args[0])
        ? evaluateNode(node.args[1], context, bound)
        : evaluateNode(node.args[2], context, bound)
    case '&&':
      return !either(node.args, false, context, bound)
    case '||':
      return either(node.args, true, context, bound)
    case '!_':
      return !truth(evaluateNode(node.args, context, bound), node.args)
    case '-_':
      return negate(node.args, context, bound)
    case '==':
    case '!=':
    case 'in':
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return binary(
        node.op,
        evaluateNode(node.args[0], context, bound),
        evaluateNode(node.args[1], context, bound),
        node,
        context,
      )
    default:
      throw new ExpressionFailure(`${node.op} is not part of the language`, node)
  }
}

function literal(value: unknown, node: Node): Value {
  if (typeof value === 'string' || typeof value === 'bigint' || typeof value === 'number') return value
  if (typeof value === 'boolean' || value === null) return value
  throw new ExpressionFailure(absentLiteral(value).message, node)
}

function lookUp(name: string, node: Node, context: EvaluationContext, bound: Binding | undefined): Value {
  for (let binding = bound; binding; binding = binding.outer) if (binding.name === name) return binding.value
  const value = context.root(name)
  if (value === undefined) throw new ExpressionFailure(`${name} is not there`, node, { missing: true })
  return value
}

function field(value: Value, name: string, node: Node): Value {
  if (!isMap(value)) {
    const kind = describeValue(value)
    throw new ExpressionFailure(`${kind} has no field ${name}`, node, { missing: value === null })
  }
  const found = fieldOf(value, name)
  if (found === undefined) throw new ExpressionFailure(`the field ${name} is not there`, node, { missing: true })
  return found
}

function item(value: Value, index: Value, node: Node): Value {
  if (isMap(value) && typeof index === 'string') return field(value, index, node)
  if (isList(value) && typeof index === 'bigint') {
    const found = index >= 0n && index < value.length ? value[Number(index)] : undefined
    if (found !== undefined) return found
    throw new ExpressionFailure(`the list has no item ${index}; it has ${value.length}`, node, { missing: true })
  }
  const kinds = `${describeValue(value)} by ${describeValue(index)}`
  throw new ExpressionFailure(`cannot index ${kinds}`, node, { missing: value === null })
}

function map(
  entries: readonly (readonly [Node, Node])[],
  context: EvaluationContext,
  bound: Binding | undefined,
): Value {
  const result: Record<string, Value> = {}
  for (const [keyNode, valueNode] of entries) {
    const key = evaluateNode(keyNode, context, bound)
    if (typeof key !== 'string') throw new ExpressionFailure('the key of a map must be a string', keyNode)
    if (key === '__proto__') throw new ExpressionFailure('the key __proto__ is not allowed', keyNode)
    if (Object.hasOwn(result, key)) throw new ExpressionFailure('the map has this key twice', keyNode)
    result[key] = evaluateNode(valueNode, context, bound)
  }
  return result
}

/** Whether at least one of two operands evaluates to `decisive`. */
function either(
  nodes: readonly [Node, Node],
  decisive: boolean,
  context: EvaluationContext,
  bound: Binding | undefined,
): boolean {
  const holds = (node: Node) => truth(evaluateNode(node, context, bound), node)
  return isDecided(nodes, holds, { decisive, budget: context.budget })
}

function negate(node: Node, context: EvaluationContext, bound: Binding | undefined): Value {
  const value = evaluateNode(node, context, bound)
  if (typeof value === 'number') return -value
  if (typeof value === 'bigint') return operate(() => checkedInt64(-value), node)
  throw new ExpressionFailure(`${describeValue(value)} cannot be negated`, node)
}

function binary(operator: string, left: Value, right: Value, node: Node, context: EvaluationContext): Value {
  const { budget } = context
  if (operator === '==') return isEqual(left, right, node, budget)
  if (operator === '!=') return !isEqual(left, right, node, budget)
  if (operator === 'in') return isIn(left, right, node, budget)
  const overload = findOverload(operator, kindOf(left), kindOf(right))
  if (!overload) {
    const kinds = `${describeValue(left)} and ${describeValue(right)}`
    throw new ExpressionFailure(`${operator} does not work on ${kinds}`, node)
  }
  if (typeof left === 'string' && typeof right === 'string') {
    if (operator === '+') budget.spendText(left.length + right.length, node)
    else budget.spend(Math.min(left.length, right.length) >> 3, node)
  }
  if (isList(left) && isList(right)) budget.spend(left.length + right.length, node)
  return operate(() => overload.run(left, right), node)
}

function isIn(value: Value, collection: Value, node: Node, budget: Budget): boolean {
  if (isList(collection)) return collection.some((element) => isEqual(value, element, node, budget))
  if (isMap(collection)) return typeof value === 'string' && fieldOf(collection, value) !== undefined
  throw new ExpressionFailure(`in needs a list or a map, but this is ${describeValue(collection)}`, node)
}

function call(
  node: Node,
  name: string,
  receiver: Node | undefined,
  argumentNodes: readonly Node[],
  context: EvaluationContext,
  bound: Binding | undefined,
): Value {
  const definition = findFunction(name, { method: receiver !== undefined })
  if (!definition) throw new ExpressionFailure(`there is no ${receiver ? 'method' : 'function'} ${name}`, node)
  if (!definition.run) {
    const run = (argument: Node, inner?: Binding) => evaluateNode(argument, context, inner ?? bound)
    return evaluateMacro(definition.name, { node, receiver, argumentNodes, run, bound, budget: context.budget })
  }
  const nodes = receiver ? [receiver, ...argumentNodes] : argumentNodes
  const args = nodes.map((argument) => evaluateNode(argument, context, bound))
  const problem = argumentProblem(definition, args)
  if (problem) throw new ExpressionFailure(problem, node)
  const { run } = definition
  const { budget, startedAt, failed } = context
  return operate(
    () =>
      run({
        args,
        startedAt,
        failed,
        spend: (units) => budget.spend(units, node),
        spendText: (length) => budget.spendText(length, node),
      }),
    node,
  )
}

function argumentProblem(definition: FunctionDefinition, args: readonly Value[]): string | undefined {
  const expected = [
    ...(definition.receiver ? [{ name: 'value', kinds: definition.receiver, optional: undefined }] : []),
    ...definition.parameters,
  ]
  const required = expected.filter(({ optional }) => !optional).length
  if (args.length < required || args.length > expected.length) return `${definition.name}() takes different arguments`
  for (const [index, value] of args.entries()) {
    const parameter = expected[index]
    if (!parameter || parameter.kinds.some((allowed) => allowed === 'dyn')) continue
    const kind = kindOf(value)
    if (parameter.kinds.some((allowed) => allowed === kind)) continue
    return `${definition.name}() does not take ${describeKind(kind)} as its ${parameter.name}`
  }
  return undefined
}

function operate(run: () => Value, node: Node): Value {
  try {
    return run()
  } catch (error) {
    if (error instanceof OperationError) throw new ExpressionFailure(error.message, node)
    throw error
  }
}

/** CEL's equality: deep, an integer equals a double of the same value, different kinds are never equal. */
function isEqual(a: Value, b: Value, place: { start: number; end: number }, budget: Budget): boolean {
  budget.spend(1, place)
  if (typeof a === 'string' && typeof b === 'string') {
    if (a.length === b.length) budget.spend(a.length >> 3, place)
    return a === b
  }
  // `==` compares a bigint and a number exactly.
  if ((typeof a === 'bigint' || typeof a === 'number') && (typeof b === 'bigint' || typeof b === 'number')) {
    // biome-ignore lint/suspicious/noDoubleEquals: strict equality is never true between bigint and number
    return a == b
  }
  if (isList(a) && isList(b)) {
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index] ?? null, place, budget))
  }
  if (a instanceof Timestamp && b instanceof Timestamp) return a.ns === b.ns
  if (a instanceof Duration && b instanceof Duration) return a.ns === b.ns
  if (kindOf(a) !== kindOf(b) || !isMap(a) || !isMap(b)) return a === b
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key] ?? null, b[key] ?? null, place, budget))
}
