/** The kind of a value in an expression at run time. */
export type Kind = 'string' | 'int' | 'double' | 'bool' | 'null' | 'list' | 'map' | 'timestamp' | 'duration'

export const KIND_NAMES: Readonly<Record<Kind | 'dyn', string>> = {
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
}

export function withArticle(noun: string): string {
  return /^[aeio]/.test(noun) ? `an ${noun}` : noun === 'null' ? noun : `a ${noun}`
}
