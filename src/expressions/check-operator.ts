import { didYouMean } from '../core/did-you-mean.ts'
import type { Checking } from './checking.ts'
import { MAX_INT } from './int64.ts'
import { possibleResults } from './operators.ts'
import type { Node } from './parse.ts'
import { commonType, DYN, describeType, type Type } from './types.ts'
import type { Kind } from './value.ts'

/** The type of `-value`. */
export function checkNegative(checker: Checking, node: Node): Type {
  if (node.op === 'value' && node.args === MAX_INT + 1n) return { kind: 'int' }
  const type = checker.check(node)
  if (type.kind === 'int' || type.kind === 'double' || type.kind === 'dyn') return type
  return checker.mismatch(`${describeType(type)} cannot be negated`, node)
}

/** The type of `==` and `!=`. */
export function checkEquality(checker: Checking, node: Node, [left, right]: readonly [Node, Node]): Type {
  const [a, b] = [checker.check(left), checker.check(right)]
  if (!comparable(a, b)) {
    checker.mismatch(`${describeType(a)} never equals ${describeType(b)}`, node, conversionHint(a, b))
  } else if (a.kind === 'string' && b.kind === 'string' && a.values && b.values && disjoint(a.values, b.values)) {
    const [wrong, known] = a.values.length === 1 ? [a.values[0], b.values] : [b.values[0], a.values]
    checker.mismatch('the two sides are never equal', node, didYouMean(wrong ?? '', known))
  }
  return { kind: 'bool' }
}

/** The type of `in`. */
export function checkMembership(checker: Checking, node: Node, [left, right]: readonly [Node, Node]): Type {
  const value = checker.check(left)
  const collection = checker.check(right)
  if (collection.kind === 'list') {
    if (!comparable(value, collection.items)) {
      checker.mismatch(
        `${describeType(value)} is never in ${describeType(collection)}`,
        node,
        conversionHint(value, collection.items),
      )
    }
  } else if (collection.kind !== 'map' && collection.kind !== 'dyn') {
    checker.mismatch(`in needs a list or a map, but this is ${describeType(collection)}`, right)
  }
  return { kind: 'bool' }
}

/** The type of arithmetic and of ordering comparisons. */
export function checkBinary(
  checker: Checking,
  operator: string,
  node: Node,
  [left, right]: readonly [Node, Node],
): Type {
  const [a, b] = [checker.check(left), checker.check(right)]
  const [result, ...others] = possibleResults(operator, a.kind, b.kind)
  if (result === undefined) {
    return checker.mismatch(
      `${operator} does not work on ${describeType(a)} and ${describeType(b)}`,
      node,
      conversionHint(a, b),
    )
  }
  if (others.length > 0) return DYN
  if (result === 'list')
    return a.kind === 'list' && b.kind === 'list' ? commonType([a, b]) : { kind: 'list', items: DYN }
  return result === 'map' ? { kind: 'map' } : { kind: result }
}

function comparable(a: Type, b: Type): boolean {
  if (a.kind === b.kind || a.kind === 'dyn' || b.kind === 'dyn' || a.kind === 'null' || b.kind === 'null') return true
  return isNumber(a.kind) && isNumber(b.kind)
}

const isNumber = (kind: Kind | 'dyn') => kind === 'int' || kind === 'double'

function disjoint(a: readonly string[], b: readonly string[]): boolean {
  return !a.some((value) => b.includes(value))
}

/** The conversion that would make an operation work. */
function conversionHint(a: Type, b: Type): string | undefined {
  const kinds = [a.kind, b.kind]
  if (kinds.includes('int') && kinds.includes('double')) return 'convert one: double(…), or write 2.0'
  if (kinds.includes('string') && kinds.some((kind) => kind === 'int' || kind === 'double' || kind === 'bool')) {
    return 'convert one: string(…) or int(…)'
  }
  return kinds.includes('string') && kinds.includes('timestamp') ? 'convert the text: timestamp(…)' : undefined
}
