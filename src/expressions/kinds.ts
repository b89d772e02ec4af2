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

export function withArticle(noun: string): string {
  return /^[aeio]/.test(noun) ? `an ${noun}` : noun === 'null' ? noun : `a ${noun}`
}
