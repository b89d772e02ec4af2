import { didYouMean } from '../core/did-you-mean.ts'
import type { Checking } from './checking.ts'
import type { ExpressionProblem, Node } from './parse.ts'
import { DYN, describeType, type RecordType, type Type } from './types.ts'
import { withArticle } from './value.ts'

/** The type of `value.name`. */
export function checkField(checker: Checking, node: Node & { op: '.' }): Type {
  const [left, name] = node.args
  const type = checker.typeOf(left)
  // The name is at the end of the node: underline that part.
  return fieldOf(checker, type, name, { start: node.end - name.length, end: node.end })
}

function fieldOf(checker: Checking, type: Type, name: string, place: { start: number; end: number }): Type {
  if (type.kind === 'dyn') return DYN
  if (type.kind !== 'map') {
    const message = `${describeType(type)} has no field ${name}`
    return checker.report({ code: 'unknown-field', message, hint: fieldHint(type, name) }, place)
  }
  if (!type.record) return DYN
  const found = Object.hasOwn(type.record.fields, name) ? type.record.fields[name] : undefined
  return found ?? checker.report(missingField(type.record, name), place)
}

/** The type of `value[index]`. */
export function checkItem(checker: Checking, node: Node & { op: '[]' }): Type {
  const [left, index] = node.args
  const type = checker.typeOf(left)
  const indexType = checker.check(index)
  if (isClosed(type)) {
    const isWritten = index.op === 'value' && typeof index.args === 'string'
    return isWritten ? fieldOf(checker, type, index.args, index) : computedField(checker, index)
  }
  if (type.kind === 'dyn' || indexType.kind === 'dyn') return type.kind === 'list' ? type.items : DYN
  if (type.kind === 'list') {
    if (indexType.kind === 'int') return type.items
    return checker.mismatch(`a list is indexed by an integer, but this is ${describeType(indexType)}`, index)
  }
  if (type.kind === 'map') {
    // Unlike `.name`, a name in brackets is not checked, because brackets can read a field that the schema does not
    // name.
    if (indexType.kind === 'string') {
      const [name] = indexType.values ?? []
      const { fields = {} } = type.record ?? {}
      const isOne = name !== undefined && indexType.values?.length === 1
      return (isOne && Object.hasOwn(fields, name) ? fields[name] : undefined) ?? DYN
    }
    return checker.mismatch(`a map is indexed by a string, but this is ${describeType(indexType)}`, index)
  }
  return checker.mismatch(`${describeType(type)} has no items`, node)
}

/**
 * At run time an expression sees the steps that are done by then. Only a literal name shows which step the expression
 * has to wait for.
 */
export function computedField(checker: Checking, node: Node): Type {
  const message = 'an expression names the step that it reads; it cannot compute which one, or read all of them'
  const hint = 'write steps.ID or steps["ID"]'
  return checker.report({ code: 'computed-step', message, hint }, node)
}

/** Whether a value of this type can only be read field by field. */
export function isClosed(type: Type): boolean {
  return type.kind === 'map' && type.record?.closed === true
}

function missingField(record: RecordType, name: string): Omit<ExpressionProblem, 'start' | 'end'> {
  const explained = record.explainMissing?.(name)
  if (explained) return explained
  const hint = didYouMean(name, Object.keys(record.fields))
  return { code: 'unknown-field', message: `${name} is not ${withArticle(record.noun)}`, hint }
}

function fieldHint(type: Type, name: string): string | undefined {
  if (['length', 'size', 'count'].includes(name)) return 'write .size()'
  return type.kind === 'list' ? `take one item first, such as [0].${name}, or map over the list` : undefined
}
