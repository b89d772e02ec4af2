/** What messages call the kinds of values. */
export const KIND_NAMES = {
  dyn: 'any value',
  string: 'string',
  int: 'integer',
  double: 'number',
  bool: 'boolean',
  null: 'null',
  list: 'list',
  map: 'map',
  timestamp: 'timestamp',
  duration: 'duration',
} as const

/** The kind of a value in an expression at run time. */
export type Kind = Exclude<keyof typeof KIND_NAMES, 'dyn'>

/** A point in time in an expression, in nanoseconds since 1970. `time.ts` makes these values and knows their limits. */
export class Timestamp {
  readonly ns: bigint

  constructor(ns: bigint) {
    this.ns = ns
  }
}

/** A length of time in an expression, in nanoseconds. */
export class Duration {
  readonly ns: bigint

  constructor(ns: bigint) {
    this.ns = ns
  }
}

/** A value in an expression: integers are bigint, doubles are number. */
export type Value = string | bigint | number | boolean | null | readonly Value[] | Timestamp | Duration | ValueMap
export interface ValueMap {
  readonly [key: string]: Value | undefined
}

export function kindOf(value: Value): Kind {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'bigint':
      return 'int'
    case 'number':
      return 'double'
    case 'boolean':
      return 'bool'
    default:
      if (value === null) return 'null'
      if (Array.isArray(value)) return 'list'
      if (value instanceof Timestamp) return 'timestamp'
      return value instanceof Duration ? 'duration' : 'map'
  }
}

export function isMap(value: Value): value is ValueMap {
  return kindOf(value) === 'map'
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value)
}

/** A field of the map itself, never one that every object inherits. */
export function fieldOf(map: ValueMap, name: string): Value | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined
}

/** The kind of a value in the words of messages, such as `an integer`. */
export function describeValue(value: Value): string {
  return describeKind(kindOf(value))
}

export function describeKind(kind: Kind | 'dyn'): string {
  return withArticle(KIND_NAMES[kind])
}

export function withArticle(noun: string): string {
  return /^[aeio]/.test(noun) ? `an ${noun}` : noun === 'null' ? noun : `a ${noun}`
}
