import type { Kind } from './types.ts'

/** A length of time in an expression. */
export class Duration {
  readonly ms: number

  constructor(ms: number) {
    this.ms = ms
  }
}

/** A value in an expression: integers are bigint, doubles number, timestamps Date. */
export type Value = string | bigint | number | boolean | null | readonly Value[] | Date | Duration | ValueMap
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
      if (value instanceof Date) return 'timestamp'
      return value instanceof Duration ? 'duration' : 'map'
  }
}

export function isMap(value: Value): value is ValueMap {
  return kindOf(value) === 'map'
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value)
}

/** An own field of a map, never one that every object inherits. */
export function fieldOf(map: ValueMap, name: string): Value | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined
}

/** A timestamp as text: RFC 3339 in UTC, without a zero fraction. */
export function formatTimestamp(timestamp: Date): string {
  return timestamp.toISOString().replace('.000Z', 'Z')
}
