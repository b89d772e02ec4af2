import { closestName, didYouMean } from '../core/did-you-mean.ts'
import { absentFunction, absentOverload } from './absent.ts'
import type { Checking } from './checking.ts'
import { type FunctionDefinition, functionSignature } from './function-definition.ts'
import { findFunction, functions } from './functions.ts'
import type { Node } from './parse.ts'
import { DYN, describeType, type Type } from './types.ts'
import { describeKind, type Value } from './value.ts'

interface Call {
  readonly node: Node
  readonly name: string
  readonly receiver: Node | undefined
  readonly argumentNodes: readonly Node[]
}

/** The type of a call of a function, a method or a macro. */
export function checkCall(checker: Checking, call: Call): Type {
  const { node, name, receiver, argumentNodes } = call
  const definition = findFunction(name, { method: receiver !== undefined })
  if (!definition) return unknownFunction(checker, call)
  const receiverType = receiver && checker.check(receiver)
  const required = definition.parameters.filter(({ optional }) => !optional).length
  if (argumentNodes.length < required || argumentNodes.length > definition.parameters.length) {
    const message = `${name}() has ${argumentNodes.length} arguments here; its form is ${functionSignature(definition)}`
    const absent = argumentNodes.length === definition.parameters.length + 1 ? absentOverload(name) : undefined
    return checker.report(absent ?? { code: 'wrong-arguments', message }, node)
  }
  if (receiver && receiverType) checkReceiver(checker, definition, receiver, receiverType)
  if (!definition.run) return checkMacro(checker, call, receiverType)
  const types = argumentNodes.map((argument, index) => checkArgument(checker, definition, index, argument))
  return resultType(checker, call, definition, receiverType ? [receiverType, ...types] : types)
}

function resultType(checker: Checking, call: Call, definition: FunctionDefinition, types: readonly Type[]): Type {
  const { receiver, argumentNodes } = call
  const nodes = receiver ? [receiver, ...argumentNodes] : argumentNodes
  const inferred = definition.infer?.(
    nodes.map((node, index) => ({
      type: types[index] ?? DYN,
      literal: node.op === 'value' ? (node.args as Value) : undefined,
      items: node.op === 'list' ? node.args.length : undefined,
    })),
  )
  if (inferred && 'problem' in inferred) {
    return checker.report({ code: 'wrong-argument', message: inferred.problem }, nodes[inferred.argument] ?? call.node)
  }
  return inferred ?? returnType(definition)
}

function returnType({ returns }: FunctionDefinition): Type {
  if (returns === 'dyn' || typeof returns === 'object') return DYN
  return returns === 'list' ? { kind: 'list', items: DYN } : { kind: returns }
}

function unknownFunction(checker: Checking, { node, name, receiver, argumentNodes }: Call): Type {
  const start = receiver ? nameStart(node, receiver.end, name) : node.start
  const place = { start, end: start + name.length }
  const absent = absentFunction(name)
  if (absent) return checker.report(absent, place)
  const isReceiverKnown = receiver === undefined || checker.isSound(receiver)
  for (const argument of argumentNodes) checker.check(argument)
  // If the receiver is an unknown name, such as `math` in `math.x()`, only that name is reported, not the method.
  if (receiver?.op === 'id' && !isReceiverKnown) return DYN
  const method = receiver !== undefined
  if (!method && STATUS_FUNCTIONS.has(name)) {
    const hint = 'a step under finally always runs; a step under onFailure runs after a failure'
    return checker.report({ code: 'unknown-function', message: `there is no function ${name}`, hint }, place)
  }
  const other = findFunction(name, { method: !method }) ?? elsewhere(name)
  const known = functions.filter((definition) => (definition.receiver !== undefined) === method)
  const hint = other
    ? `it is ${functionSignature(other)}`
    : didYouMean(
        name,
        known.map((definition) => definition.name),
      )
  const message = `there is no ${method ? 'method' : 'function'} ${name}`
  return checker.report({ code: 'unknown-function', message, hint }, place)
}

/** GitHub Actions functions that are not part of the language. */
const STATUS_FUNCTIONS: ReadonlySet<string> = new Set(['always', 'cancelled'])

/** The function that has this name, or a similar one, in other languages. */
function elsewhere(name: string): FunctionDefinition | undefined {
  const known = closestName(name, Object.keys(ELSEWHERE))
  const meant = known === undefined ? undefined : ELSEWHERE[known]
  if (meant === undefined) return undefined
  return findFunction(meant, { method: true }) ?? findFunction(meant, { method: false })
}

const ELSEWHERE: Readonly<Record<string, string>> = {
  len: 'size',
  length: 'size',
  count: 'size',
  lower: 'lowerAscii',
  toLowerCase: 'lowerAscii',
  upper: 'upperAscii',
  toUpperCase: 'upperAscii',
  includes: 'contains',
  strip: 'trim',
  substr: 'substring',
  basename: 'fileName',
  stem: 'fileStem',
  toString: 'string',
  str: 'string',
  float: 'double',
  coalesce: 'default',
}

/** The offset of a method's name after its receiver. */
function nameStart(node: Node, from: number, name: string): number {
  const found = node.input.indexOf(name, from)
  return found === -1 ? node.start : found
}

function checkReceiver(checker: Checking, definition: FunctionDefinition, node: Node, type: Type): void {
  const { receiver = [] } = definition
  if (type.kind === 'dyn' || receiver.some((kind) => kind === type.kind)) return
  const kinds = receiver.map((kind) => describeKind(kind)).join(' or ')
  checker.mismatch(`${definition.name}() works on ${kinds}, but this is ${describeType(type)}`, node)
}

/** The type of an argument; `dyn` if it does not fit. */
function checkArgument(checker: Checking, definition: FunctionDefinition, index: number, node: Node): Type {
  const type = checker.check(node)
  const parameter = definition.parameters[index]
  if (!parameter) return type
  if (type.kind !== 'dyn' && !parameter.kinds.some((kind) => kind === 'dyn' || kind === type.kind)) {
    const kinds = parameter.kinds.map((kind) => describeKind(kind)).join(' or ')
    return checker.mismatch(
      `${parameter.name} of ${definition.name}() is ${kinds}, but this is ${describeType(type)}`,
      node,
    )
  }
  const problem = node.op === 'value' ? parameter.check?.(node.args as Value) : undefined
  return problem ? checker.report({ code: 'wrong-argument', message: problem }, node) : type
}

function checkMacro(checker: Checking, call: Call, receiverType: Type | undefined): Type {
  const [first, second] = call.argumentNodes
  if (call.name === 'has') {
    if (first?.op === 'value') {
      const message = 'has() asks whether a field is there, such as has(last.outputs), but this is not a field'
      const hint = typeof first.args === 'string' ? `write has(${first.args})` : undefined
      return checker.report({ code: 'wrong-argument', message, hint }, first)
    }
    if (first) checker.check(first)
    return { kind: 'bool' }
  }
  if (call.name === 'default') return checkDefault(checker, first, second)
  if (first?.op !== 'id' || !second) {
    const message = `the first argument of ${call.name}() is a name for the item, such as n`
    return checker.report({ code: 'wrong-arguments', message }, first ?? call.node)
  }
  const inside = checker.within(first.args, itemType(receiverType))
  if (call.name === 'map') return { kind: 'list', items: inside.check(second) }
  inside.expectBoolean(second)
  if (call.name !== 'filter') return { kind: 'bool' }
  return receiverType?.kind === 'list' ? receiverType : { kind: 'list', items: itemType(receiverType) }
}

function checkDefault(checker: Checking, value: Node | undefined, fallback: Node | undefined): Type {
  if (!value || !fallback) return DYN
  const [type, other] = [checker.check(value), checker.check(fallback)]
  if (type.kind === 'dyn' || other.kind === 'dyn' || type.kind === 'null' || other.kind === 'null') return DYN
  if (type.kind !== other.kind) {
    return checker.mismatch(`the fallback is ${describeType(other)}, but the value is ${describeType(type)}`, fallback)
  }
  return type.kind === 'string' ? { kind: 'string' } : type
}

function itemType(collection: Type | undefined): Type {
  if (collection?.kind === 'list') return collection.items
  return collection?.kind === 'map' ? { kind: 'string' } : DYN
}
