/** The value of a JSON text. Integers that a number cannot hold come as their digits. Throws a SyntaxError. */
export function exactJson(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown, context?: { readonly source?: string }) => {
    const source = context?.source ?? ''
    return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? source : value
  })
}
