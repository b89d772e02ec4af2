import { DYN, type Type } from './types.ts'

/** The common type of two or more types. */
export function commonType(types: readonly Type[]): Type {
  const [first, ...rest] = types
  if (!first) return DYN
  let result: Type = first
  for (const type of rest) {
    if (type.kind !== result.kind) return DYN
    if (result.kind === 'string' && type.kind === 'string') {
      const values = result.values && type.values ? [...new Set([...result.values, ...type.values])] : undefined
      result = values && values.length <= 50 ? { kind: 'string', values } : { kind: 'string' }
    } else if (result.kind === 'list' && type.kind === 'list') {
      result = { kind: 'list', items: commonType([result.items, type.items]) }
    } else if (result.kind === 'map' && type !== result) result = { kind: 'map' }
  }
  return result
}
