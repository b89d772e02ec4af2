type Reviver = (this: unknown, key: string, value: unknown) => unknown

/** Reads JSON; integers that a double cannot hold become bigints. */
export function parseExact(text: string): unknown {
  const revive = (_key: string, value: unknown, { source = '' }: { readonly source?: string } = {}) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? BigInt(source) : value
  return JSON.parse(text, revive as Reviver)
}

/** Writes JSON; bigints become numbers. */
export function writeExact(value: unknown): string {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }
  return JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? rawJSON(String(each)) : each))
}
