import type { Budget } from './budget.ts'
import { attemptEffect, type Binding, isDecided, truth } from './evaluation-context.ts'
import { ExpressionFailure } from './failure.ts'
import type { Node } from './parse.ts'
import { describeValue, isList, isMap, type Value } from './value.ts'

interface MacroCall {
  readonly node: Node
  readonly receiver: Node | undefined
  readonly argumentNodes: readonly Node[]
  /** Evaluates an argument, with the names of the call or with the given binding. */
  readonly run: (node: Node, bound?: Binding) => Value
  readonly bound: Binding | undefined
  readonly budget: Budget
}

/** The value of a macro call. A macro evaluates its arguments itself: never, later, or once per item. */
export function evaluateMacro(name: string, call: MacroCall): Value {
  const { node, receiver, argumentNodes, bound, budget } = call
  const [first, second] = argumentNodes
  if (name === 'has' && first && argumentNodes.length === 1) return valueOrMissing(first, call) !== undefined
  if (name === 'default' && first && second && argumentNodes.length === 2) {
    const value = valueOrMissing(first, call)
    return value === undefined || value === null ? call.run(second) : value
  }
  if (!receiver || first?.op !== 'id' || !second || argumentNodes.length !== 2) {
    throw new ExpressionFailure(`${name}() takes different arguments`, node)
  }
  const variable = first.args
  const items = itemsOf(call.run(receiver), receiver)
  budget.spend(items.length, node)
  const run = (value: Value) => call.run(second, { name: variable, value, outer: bound })
  const holds = (value: Value) => truth(run(value), second)
  switch (name) {
    case 'map':
      return items.map(run)
    case 'filter':
      return items.filter(holds)
    case 'exists_one':
    case 'existsOne':
      return items.filter(holds).length === 1
    case 'exists':
      return isDecided(items, holds, { decisive: true, budget })
    default:
      return !isDecided(items, holds, { decisive: false, budget })
  }
}

/** The value, or undefined if something on the path to it is missing. */
function valueOrMissing(node: Node, { run, budget }: MacroCall): Value | undefined {
  const value = attemptEffect(() => run(node), budget)
  if (!(value instanceof ExpressionFailure)) return value
  if (value.missing) return undefined
  throw value
}

function itemsOf(value: Value, node: Node): readonly Value[] {
  if (isList(value)) return value
  if (isMap(value)) return Object.keys(value)
  throw new ExpressionFailure(`a list is needed here, but this is ${describeValue(value)}`, node)
}
